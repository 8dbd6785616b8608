import { setTimeout as sleep } from 'node:timers/promises';
import { parseAccepted } from '../../src/model/fence.ts';
import type { UnitName } from '../../src/model/nb.ts';
import { openNorthbound, type NorthboundDatabase } from '../../src/nb/northbound.ts';
import { MANAGED_TABLES } from '../../src/plan/managed-tables.ts';
import { applyOnce } from '../../src/reconcile/apply-once.ts';
import { ConvergenceWatch } from '../../src/reconcile/convergence-watch.ts';
import { Corrections } from '../../src/reconcile/corrections.ts';
import { DesiredRevisions } from '../../src/reconcile/desired-revisions.ts';
import { reconcileUnit, type UnitReconciler } from '../../src/reconcile/reconcile-unit.ts';
import { acceptedText, acceptRevision } from '../../src/reconcile/revision-record.ts';
import { until } from './ovsdb-server.ts';
import { startForeignWriter, type ForeignWriter } from './foreign-writer.ts';
import { commitOf, madeUpSource, UNITS } from './network-revisions.ts';
import { countingStore } from './counting-store.ts';

export interface NetworkLoad {
  readonly writers: readonly Writer[];
  readonly foreign: ForeignWriter;
  /** The largest sequence of which an acceptor was told that it is accepted. */
  readonly acceptedSequence: () => number;
  /** How many transactions were told to be committed. */
  readonly commits: () => number;
  /** What must never happen: units that stalled, calls that threw. */
  readonly faults: readonly string[];
  /** Resolves when that many more transactions are committed. */
  moved(transactions: number): Promise<void>;
  /** Accepts nothing more, and works until a whole round over all units finds nothing to do. */
  settle(): Promise<void>;
  /** Goes on after settle(). */
  resume(): void;
  /** Forgets what was accepted: the database was put back. */
  forget(): void;
  stop(): Promise<void>;
}

/** One process of the installation: its replica of the Northbound and what it reconciles with. */
export interface Writer {
  readonly northbound: NorthboundDatabase;
  readonly parts: UnitReconciler;
}

/** Opens the Northbound as one process of the installation `test`. */
export async function openWriter(
  remotes: readonly string[],
  onCommit: () => void,
  signal: AbortSignal,
): Promise<Writer> {
  const northbound = await openNorthbound(
    {
      remotes,
      southbound: undefined,
      tables: MANAGED_TABLES,
      owner: 'test',
      tls: undefined,
      clock: Date.now,
      log: () => {},
    },
    signal,
  );
  const parts = {
    owner: 'test',
    northbound,
    revisions: new DesiredRevisions(madeUpSource()),
    store: countingStore(onCommit),
    corrections: new Corrections(),
    convergence: new ConvergenceWatch(northbound, Date.now, () => {}),
    clock: Date.now,
  };
  return { northbound, parts };
}

export async function closeWriter(writer: Writer): Promise<void> {
  await writer.parts.convergence.close();
  await writer.northbound.close();
}

/**
 * Several writers that accept one revision after the other and bring units to it, all at once, through the commit path of
 * the program; and a foreign writer with rows of its own beside theirs.
 */
export async function startNetworkLoad(options: {
  readonly remotes: readonly string[];
  /** Where the foreign writer connects; the same when absent. */
  readonly foreignRemotes?: readonly string[];
  readonly random: () => number;
  readonly writers?: number;
}): Promise<NetworkLoad> {
  const { remotes, random } = options;
  const stop = new AbortController();
  const faults: string[] = [];
  let commits = 0;
  let revision = 0;
  let accepted = 0;
  let isAccepting = true;
  let accepting = 0;
  /** How often the database was put back: what was accepted before is gone with it. */
  let age = 0;
  const writers = await Promise.all(
    Array.from({ length: options.writers ?? 3 }, () =>
      openWriter(remotes, () => (commits += 1), AbortSignal.any([stop.signal, AbortSignal.timeout(60_000)])),
    ),
  );
  const foreign = startForeignWriter(options.foreignRemotes ?? remotes, random, stop.signal);

  const noteAccepted = (sequence: number, since: number): void => {
    if (since === age) accepted = Math.max(accepted, sequence);
  };
  const accept = async (writer: Writer): Promise<void> => {
    const since = age;
    const { northbound, parts } = writer;
    const text = acceptedText(northbound, 'test');
    const commit = commitOf((revision += 1));
    if (random() < 0.3) {
      const read = await parts.revisions.at(commit, stop.signal);
      if (!read.ok) throw new Error(`revision ${commit} is not valid`);
      const options = { now: Date.now(), passHolds: true };
      const result = await applyOnce(northbound, read.value, 'test', options, stop.signal);
      commits += result.written.length;
      if (result.written.length > 0) noteAccepted(result.revision.sequence, since);
      return;
    }
    const next = { sequence: (parseAccepted(text)?.sequence ?? 0) + 1, commit };
    const outcome = await acceptRevision(northbound, 'test', next, text, stop.signal);
    if (outcome.kind === 'committed') noteAccepted(next.sequence, since);
    if (outcome.kind === 'refused') faults.push(`an acceptance was refused: ${outcome.reason}`);
  };
  const reconcile = async (writer: Writer, unit: UnitName): Promise<boolean> => {
    const job = { unit, cause: 'revision', seenAt: Date.now() } as const;
    const outcome = await reconcileUnit(writer.parts, job, stop.signal);
    if (outcome.kind === 'stalled') faults.push(`${unit} stalled: ${outcome.message}`);
    return outcome.kind === 'done';
  };
  const work = async (writer: Writer, isAcceptor: boolean): Promise<void> => {
    while (!stop.signal.aborted) {
      if (isAcceptor && isAccepting && writer.northbound.isLive && random() < 0.3) {
        accepting += 1;
        await accept(writer);
        accepting -= 1;
      } else await reconcile(writer, pick(random, UNITS));
      await sleep(random() * 25);
    }
  };
  const running = writers.map((writer, at) =>
    work(writer, at < 2).catch((error: unknown) => {
      if (!stop.signal.aborted)
        faults.push(`a writer threw ${error instanceof Error ? error.stack : String(error)}`);
    }),
  );

  const settle = async (): Promise<void> => {
    isAccepting = false;
    await foreign.pause();
    await until(() => accepting === 0 || faults.length > 0);
    for (;;) {
      const before = commits;
      const done: boolean[] = [];
      for (const writer of writers) {
        await writer.northbound.resynced(stop.signal);
        for (const unit of UNITS) done.push(await reconcile(writer, unit));
      }
      if (faults.length > 0 || (commits === before && done.every(Boolean))) return;
      await sleep(20);
    }
  };
  return {
    writers,
    foreign,
    faults,
    acceptedSequence: () => accepted,
    commits: () => commits,
    moved: async (transactions) => {
      const goal = commits + transactions;
      await until(() => commits >= goal || faults.length > 0);
    },
    settle,
    resume: () => {
      isAccepting = true;
      foreign.resume();
    },
    forget: () => {
      age += 1;
      accepted = 0;
      foreign.forget();
    },
    stop: async () => {
      stop.abort();
      await Promise.all(running);
      await foreign.stopped;
      await Promise.all(writers.map(closeWriter));
    },
  };
}

function pick<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}
