import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase } from '../../src/ovsdb/index.ts';
import { expectedRows } from './network-revisions.ts';
import { brokenPromises, type NetworkUnderTest } from './network-invariants.ts';
import { type NetworkLoad, startNetworkLoad } from './network-load.ts';
import type { UnitRows } from './network-truth.ts';
import { SEED, seededRandom } from './seed.ts';
import { type UnitStream, watchUnits } from './unit-stream.ts';

export interface FaultRounds {
  readonly load: NetworkLoad;
  readonly random: () => number;
  /** Notes what is done, for the report of a round that fails. */
  note(action: string): void;
  /** One fault under load, then a check of every promise; throws what was broken, with what was done. */
  round(fault: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

let cached: Promise<readonly UnitRows[]> | undefined;

/** Starts the load and the watchers on servers that are about to have trouble. */
export async function startFaultRounds(options: {
  /** Where our clients connect. */
  readonly remotes: readonly string[];
  /** Servers whose own view is watched, without what lies between them and the clients. */
  readonly watched: readonly string[];
  readonly leader: () => Promise<string>;
  readonly foreignRemotes?: readonly string[];
  readonly writers?: number;
}): Promise<FaultRounds> {
  const random = seededRandom(SEED);
  const expected = await (cached ??= expectedRows());
  const streams: UnitStream[] = options.watched.map((endpoint) => watchUnits(endpoint, expected));
  const load = await startNetworkLoad({ ...options, random });
  const [replica, anyReplica] = await Promise.all([
    openDatabase({ remotes: options.remotes, database: 'OVN_Northbound', leaderOnly: true }),
    openDatabase({ remotes: options.remotes, database: 'OVN_Northbound' }),
  ]);
  const network: NetworkUnderTest = { ...options, load, streams, replica, anyReplica, expected };
  const notes: string[] = [];
  let rounds = 0;
  const startedAt = Date.now();
  const note = (action: string): void => {
    notes.push(`${Date.now() - startedAt} ms, round ${rounds}: ${action}`);
  };
  return {
    load,
    random,
    note,
    round: async (fault) => {
      rounds += 1;
      load.resume();
      await load.moved(3);
      await fault();
      note('settling');
      const broken = await Promise.race([brokenPromises(network), neverSettled(replica)]);
      if (broken.length === 0) return;
      const log = notes.slice(-40).join('\n');
      const found = [...new Set(broken)].slice(0, 10).join('\n');
      const report = `round ${rounds} (seed ${SEED}) broke:\n${found}\nafter\n${log}`;
      // At once, because a long run may be ended before its summary.
      process.stderr.write(`${report}\n`);
      throw new Error(report);
    },
    stop: async () => {
      await Promise.all(streams.map((stream) => stream.stop()));
      await Promise.all([replica.close(), anyReplica.close()]);
      await load.stop();
    },
  };
}

/** Long enough for every wait of the client between tries. */
const SETTLE_MS = 90_000;

async function neverSettled(replica: Database): Promise<readonly string[]> {
  await sleep(SETTLE_MS, undefined, { ref: false });
  return [`nothing settles; the replica is ${replica.state}: ${replica.trouble ?? 'no trouble'}`];
}
