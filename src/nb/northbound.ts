import { compareText } from '../lib/order.ts';
import type { UnitName } from '../model/nb.ts';
import type { AcceptedRevision } from '../model/revision.ts';
import type { Convergence } from '../model/status.ts';
import type { Database, Operation, Row, TransactOutcome } from '../ovsdb/index.ts';
import { openDatabase } from '../ovsdb/index.ts';
import type { AppliedRecord } from '../plan/fence.ts';
import { acceptedKey, appliedKey, parseAccepted, parseApplied } from '../plan/fence.ts';
import { LiveIndex } from '../plan/live-index.ts';
import { buildTransaction } from '../plan/transaction.ts';
import { acceptOperations, initOperations } from './accept.ts';
import { convergenceOf } from './confirm.ts';
import { MANAGED_TABLES } from './managed-tables.ts';
import { outcomeOf } from './outcome.ts';

/** Where the databases are and whose rows count as ours. */
export interface NorthboundOptions {
  /** `unix:PATH`, `tcp:IP:PORT` or `ssl:IP:PORT`; several for a cluster. */
  readonly remotes: readonly string[];
  /** The Southbound, for the proof on every chassis; without it only NB_Global's sums are known. */
  readonly southbound: readonly string[] | undefined;
  /** Name of the installation. */
  readonly owner: string;
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string } | undefined;
  readonly clock: () => number;
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** What was asked of `commit`; see src/reconcile/northbound.ts. */
type CommitRequest = Omit<
  Parameters<typeof buildTransaction>[0],
  'live' | 'schema' | 'owner' | 'appliedText' | 'globalUuid' | 'now'
>;
type CommitOutcome = ReturnType<typeof outcomeOf>;

/**
 * Opens the Northbound and keeps a replica of what we manage. Rejects with an OvsdbError for a wrong endpoint or a
 * server without the needed tables; a server that is merely away is waited for until `signal` fires.
 */
export async function openNorthbound(
  options: NorthboundOptions,
  signal: AbortSignal,
): Promise<NorthboundDatabase> {
  const tls = options.tls === undefined ? {} : { tls: options.tls };
  const shared = { ...tls, log: options.log };
  const northbound = await openDatabase(
    {
      ...shared,
      remotes: options.remotes,
      database: 'OVN_Northbound',
      tables: MANAGED_TABLES,
      leaderOnly: true,
    },
    signal,
  );
  try {
    const southbound =
      options.southbound === undefined
        ? undefined
        : await openDatabase(
            {
              ...shared,
              remotes: options.southbound,
              database: 'OVN_Southbound',
              tables: { Chassis_Private: ['name', 'nb_cfg'] },
            },
            signal,
          );
    return new NorthboundDatabase(northbound, southbound, options);
  } catch (error) {
    await northbound.close();
    throw error;
  }
}

/** The live Northbound: satisfies `Northbound` of the use cases. */
export class NorthboundDatabase {
  readonly #northbound: Database;
  readonly #southbound: Database | undefined;
  readonly #options: NorthboundOptions;
  readonly #listeners = new Set<(units: ReadonlySet<UnitName>) => void>();
  readonly live: LiveIndex;

  constructor(northbound: Database, southbound: Database | undefined, options: NorthboundOptions) {
    this.#northbound = northbound;
    this.#southbound = southbound;
    this.#options = options;
    this.live = new LiveIndex(options.owner, {
      row: (table, uuid) => northbound.row(table, uuid as Row['_uuid']),
      referrers: (uuid) => northbound.referrers(uuid as Row['_uuid']),
    });
    for (const table of Object.keys(MANAGED_TABLES)) {
      for (const row of northbound.rows(table).values()) {
        this.live.apply([{ table, uuid: row._uuid, before: undefined, after: row }]);
      }
    }
    northbound.onChange((changes) => {
      const units = this.live.apply(changes);
      for (const listener of this.#listeners) listener(units);
    });
  }

  get isLive(): boolean {
    return this.#northbound.state === 'live';
  }

  resynced(signal: AbortSignal): Promise<void> {
    return this.#northbound.resynced(signal);
  }

  accepted(): AcceptedRevision | undefined {
    return parseAccepted(this.#record(acceptedKey(this.#options.owner)));
  }

  applied(unit: UnitName): AppliedRecord | undefined {
    return parseApplied(this.#record(appliedKey(this.#options.owner, unit)));
  }

  async accept(
    next: AcceptedRevision,
    previous: AcceptedRevision | undefined,
    signal: AbortSignal,
  ): Promise<CommitOutcome> {
    const found = this.#global();
    const global = found ?? (await this.#init(signal));
    if (global === undefined)
      return { kind: 'unavailable', reason: 'NB_Global has no row and none could be made' };
    const operations = acceptOperations(this.#options.owner, global._uuid, next, previous);
    const outcome = await this.#northbound.transact(operations, { signal });
    return outcomeOf(outcome, undefined, () => undefined);
  }

  async commit(request: CommitRequest, signal: AbortSignal): Promise<CommitOutcome> {
    const global = this.#global();
    if (global === undefined) return { kind: 'conflict', reason: 'NB_Global has no row' };
    const transaction = buildTransaction({
      ...request,
      live: this.live,
      schema: this.#northbound.schema,
      owner: this.#options.owner,
      appliedText: this.#record(appliedKey(this.#options.owner, request.plan.unit)),
      globalUuid: global._uuid,
      now: this.#options.clock(),
    });
    const outcome = await this.#northbound.transact(transaction.operations, { signal });
    return outcomeOf(outcome, transaction.nbCfgIndex, (index) => transaction.keyOf(index));
  }

  convergence(nbCfg: number): Convergence {
    return convergenceOf(nbCfg, this.#global(), this.#chassis(), this.#options.clock());
  }

  async converged(
    nbCfg: number,
    signal: AbortSignal,
    onProgress: (progress: Convergence) => void,
  ): Promise<Convergence> {
    let seen = '';
    for (;;) {
      const changed = this.#nextChange(signal);
      const progress = this.convergence(nbCfg);
      const text = JSON.stringify([progress.translatedAt !== undefined, progress.chassis]);
      if (text !== seen) onProgress(progress);
      seen = text;
      const isInstalled =
        progress.chassis === undefined || progress.chassis.caughtUp === progress.chassis.total;
      if (signal.aborted || (progress.translatedAt !== undefined && isInstalled)) {
        changed.cancel();
        return progress;
      }
      await changed.promise;
    }
  }

  onUnits(listener: (units: ReadonlySet<UnitName>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    await Promise.all([this.#northbound.close(), this.#southbound?.close()]);
  }

  #global(): Row | undefined {
    const [row] = this.#northbound.rows('NB_Global').values();
    return row;
  }

  #record(key: string): string | undefined {
    const ids = this.#global()?.['external_ids'];
    const text: unknown = ids instanceof Map ? ids.get(key) : undefined;
    return typeof text === 'string' ? text : undefined;
  }

  /** Makes the one row of NB_Global where neither northd nor ovn-nbctl has done so yet. */
  async #init(signal: AbortSignal): Promise<Row | undefined> {
    const operations: readonly Operation[] = initOperations();
    const outcome: TransactOutcome = await this.#northbound.transact(operations, { signal });
    if (outcome.kind === 'unknown' || outcome.kind === 'unsent') return undefined;
    await this.#northbound.resynced(signal);
    return this.#global();
  }

  #chassis(): readonly { readonly name: string; readonly nbCfg: number }[] | undefined {
    if (this.#southbound === undefined || this.#southbound.state !== 'live') return undefined;
    return [...this.#southbound.rows('Chassis_Private').values()]
      .map((row) => ({ name: String(row['name']), nbCfg: Number(row['nb_cfg']) }))
      .toSorted((a, b) => compareText(a.name, b.name));
  }

  #nextChange(signal: AbortSignal): { readonly promise: Promise<void>; cancel(): void } {
    const stops: (() => void)[] = [];
    const cancel = (): void => {
      for (const stop of stops) stop();
    };
    const promise = new Promise<void>((resolve) => {
      const wake = (): void => {
        cancel();
        resolve();
      };
      stops.push(this.#northbound.onChange(wake));
      if (this.#southbound !== undefined) stops.push(this.#southbound.onChange(wake));
      signal.addEventListener('abort', wake, { once: true });
      stops.push(() => signal.removeEventListener('abort', wake));
    });
    return { promise, cancel };
  }
}
