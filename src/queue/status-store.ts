import type { Redis } from 'ioredis';
import { compareText } from '../lib/order.ts';
import { ok, type Result } from '../lib/result.ts';
import type { UnitName } from '../model/nb.ts';
import type { DriftRecord, Receipt, RevisionRecord, SourceStatus, UnitStatus } from '../model/status.ts';
import type { Totals } from '../model/totals.ts';
import type { StatusStore } from '../reconcile/status-store.ts';
import { commitWrites, isWrongType, type WriteCommand } from './commit-writes.ts';
import { connectRedis, type Log } from './connect-redis.ts';
import { keyPrefix } from './keys.ts';
import { explain, type QueueError, QueueFailure } from './queue-error.ts';
import { driftRecord, readRecords, receipt, revision, sourceStatus, unitStatus } from './record-shapes.ts';
import type { RedisOptions } from './redis-options.ts';
import { driftIncrements, type Increments, readTotals, receiptIncrements } from './totals.ts';

export interface StatusStoreOptions {
  readonly redis: RedisOptions;
  /** The installation, as for openQueue(). */
  readonly owner: string;
  readonly log?: Log;
}

export interface OpenStatusStore extends StatusStore {
  close(): Promise<void>;
}

/** Entries kept of each: revisions, receipts of one revision, drift records, allowed commits. */
const KEPT = 1_000;

/**
 * Opens the store of what people are shown. Writing never throws: what Redis does not take is logged and left out, for the
 * work must go on; of the status of a unit the caller hears, to write it again. Reading, and allow(), throw QueueFailure then. A key that somebody else gave another type reads as if
 * it were absent, and the next write replaces it.
 */
export async function openStatusStore(
  options: StatusStoreOptions,
  signal?: AbortSignal,
): Promise<Result<OpenStatusStore, QueueError>> {
  const prefix = keyPrefix(options.owner);
  if (!prefix.ok) return prefix;
  const connected = await connectRedis(options.redis, 'fail-fast', options.log, signal);
  if (!connected.ok) return connected;
  return ok(new RedisStatusStore(connected.value.redis, `${prefix.value}:status`, options.log));
}

class RedisStatusStore implements OpenStatusStore {
  readonly #redis: Redis;
  readonly #log: Log | undefined;
  /** Keys of a wrong type that were logged. */
  readonly #ignored = new Set<string>();
  readonly #keys: {
    /** JSON. */
    readonly source: string;
    /** Hash: unit to JSON. */
    readonly units: string;
    /** Hash: sequence to JSON. */
    readonly revisions: string;
    /** Sorted set of sequences. */
    readonly sequences: string;
    /** Lists, the newest first. */
    readonly drift: string;
    readonly allowed: string;
    /** Hash: field to count. */
    readonly totals: string;
    readonly receipts: (sequence: number | string) => string;
  };

  constructor(redis: Redis, prefix: string, log: Log | undefined) {
    this.#redis = redis;
    this.#log = log;
    this.#keys = {
      source: `${prefix}:source`,
      units: `${prefix}:units`,
      revisions: `${prefix}:revisions`,
      sequences: `${prefix}:sequences`,
      drift: `${prefix}:drift`,
      allowed: `${prefix}:allowed`,
      totals: `${prefix}:totals`,
      receipts: (sequence) => `${prefix}:receipts:${sequence}`,
    };
  }

  async writeSource(status: SourceStatus): Promise<void> {
    await this.#write([['set', this.#keys.source, JSON.stringify(status)]]);
  }

  async source(): Promise<SourceStatus | undefined> {
    const { source } = this.#keys;
    return readRecords([await this.#read(source, null, (from) => from.get(source))], sourceStatus)[0];
  }

  async writeUnit(status: UnitStatus): Promise<boolean> {
    return this.#write([['hset', this.#keys.units, status.unit, JSON.stringify(status)]]);
  }

  async removeUnits(gone: readonly UnitName[]): Promise<boolean> {
    return gone.length === 0 || this.#write([['hdel', this.#keys.units, ...gone]]);
  }

  async unit(unit: UnitName): Promise<UnitStatus | undefined> {
    const { units } = this.#keys;
    return readRecords([await this.#read(units, null, (from) => from.hget(units, unit))], unitStatus)[0];
  }

  async units(): Promise<readonly UnitStatus[]> {
    const { units } = this.#keys;
    const found = readRecords(await this.#read(units, [], (from) => from.hvals(units)), unitStatus);
    return found.toSorted((a, b) => compareText(a.unit, b.unit));
  }

  async addRevision(added: Omit<RevisionRecord, 'receipts'>): Promise<void> {
    const { revisions, sequences, receipts } = this.#keys;
    const sequence = String(added.sequence);
    await this.#write([
      ['hset', revisions, sequence, JSON.stringify(added)],
      ['zadd', sequences, sequence, sequence],
    ]);
    const old = await this.#attempt((from) => from.zrange(sequences, 0, `${-KEPT - 1}`));
    if (old === undefined || old.length === 0) return;
    await this.#write([
      ['zrem', sequences, ...old],
      ['hdel', revisions, ...old],
      ...old.map((one): WriteCommand => ['del', receipts(one)]),
    ]);
  }

  async addReceipt(added: Receipt): Promise<void> {
    const { receipts, totals } = this.#keys;
    await this.#write([
      ...push(receipts(added.sequence), JSON.stringify(added)),
      ...grow(totals, receiptIncrements(added)),
    ]);
  }

  async history(limit: number): Promise<readonly RevisionRecord[]> {
    if (limit < 1) return [];
    const { revisions, sequences, receipts } = this.#keys;
    const newest = await this.#read(sequences, [], (from) =>
      from.zrange(sequences, 0, `${limit - 1}`, 'REV'),
    );
    if (newest.length === 0) return [];
    const lists = newest.map(receipts);
    const [stored, receiptLists] = await Promise.all([
      this.#read(revisions, [], (from) => from.hmget(revisions, ...newest)),
      Promise.all(lists.map((list) => this.#read(list, [], (from) => from.lrange(list, 0, -1)))),
    ]);
    return stored.flatMap((one, index) =>
      readRecords([one], revision).map((found) => ({
        ...found,
        receipts: readRecords(receiptLists[index] ?? [], receipt).toReversed(),
      })),
    );
  }

  async addDrift(added: DriftRecord): Promise<void> {
    const { drift, totals } = this.#keys;
    await this.#write([...push(drift, JSON.stringify(added)), ...grow(totals, driftIncrements(added))]);
  }

  async drift(limit: number): Promise<readonly DriftRecord[]> {
    if (limit < 1) return [];
    const { drift } = this.#keys;
    return readRecords(await this.#read(drift, [], (from) => from.lrange(drift, 0, limit - 1)), driftRecord);
  }

  async totals(): Promise<Totals> {
    const { totals } = this.#keys;
    return readTotals(await this.#read(totals, {}, (from) => from.hgetall(totals)));
  }

  async allow(commit: string): Promise<void> {
    const { allowed } = this.#keys;
    try {
      await this.#commit([['lrem', allowed, '0', commit], ...push(allowed, commit)]);
    } catch (error) {
      throw failure(error);
    }
  }

  async isAllowed(commit: string): Promise<boolean> {
    const { allowed } = this.#keys;
    return (await this.#read(allowed, null, (from) => from.lpos(allowed, commit))) !== null;
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
  }

  /** False when it failed. */
  async #write(commands: readonly WriteCommand[]): Promise<boolean> {
    const isWritten = await this.#attempt(async () => {
      await this.#commit(commands);
      return true;
    });
    return isWritten === true;
  }

  async #commit(commands: readonly WriteCommand[]): Promise<void> {
    const replaced = await commitWrites(this.#redis, commands);
    for (const key of replaced) {
      this.#log?.('status.key-replaced', { key, why: WRONG_TYPE });
      this.#ignored.delete(key);
    }
  }

  /** For what may be left out: undefined when it failed. */
  async #attempt<T>(use: (redis: Redis) => Promise<T>): Promise<T | undefined> {
    try {
      return await use(this.#redis);
    } catch (error) {
      this.#log?.('status.not-written', { error: (error as Error).message });
      return undefined;
    }
  }

  /** What somebody put in the place of a key is no value of ours: `absent`. */
  async #read<T>(key: string, absent: T, use: (redis: Redis) => Promise<T>): Promise<T> {
    try {
      return await use(this.#redis);
    } catch (error) {
      if (!isWrongType(error)) throw failure(error);
      if (!this.#ignored.has(key)) this.#log?.('status.key-ignored', { key, why: WRONG_TYPE });
      this.#ignored.add(key);
      return absent;
    }
  }
}

const WRONG_TYPE = 'it has another type; somebody else wrote it';

function failure(error: unknown): QueueFailure {
  return new QueueFailure(explain(error, 'the status store'), error);
}

function push(list: string, value: string): readonly WriteCommand[] {
  return [
    ['lpush', list, value],
    ['ltrim', list, '0', `${KEPT - 1}`],
  ];
}

function grow(totals: string, increments: Increments): readonly WriteCommand[] {
  return increments.map(([field, by]) => ['hincrby', totals, field, String(by)]);
}
