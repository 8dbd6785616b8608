import type { ChainableCommander, Redis } from 'ioredis';
import { compareText } from '../lib/order.ts';
import { ok, type Result } from '../lib/result.ts';
import type { UnitName } from '../model/nb.ts';
import type { DriftRecord, Receipt, RevisionRecord, SourceStatus, UnitStatus } from '../model/status.ts';
import type { Totals } from '../model/totals.ts';
import type { StatusStore } from '../reconcile/status-store.ts';
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
 * Opens the store of what people are shown. Writing a status never fails: while Redis is away it is logged and left out, for
 * the work must go on. Reading, and allow(), throw QueueFailure then.
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
    await this.#write((to) => to.set(this.#keys.source, JSON.stringify(status)));
  }

  async source(): Promise<SourceStatus | undefined> {
    return readRecords([await this.#read((from) => from.get(this.#keys.source))], sourceStatus)[0];
  }

  async writeUnit(status: UnitStatus): Promise<void> {
    await this.#write((to) => to.hset(this.#keys.units, status.unit, JSON.stringify(status)));
  }

  async removeUnits(units: readonly UnitName[]): Promise<void> {
    if (units.length > 0) await this.#write((to) => to.hdel(this.#keys.units, ...units));
  }

  async unit(unit: UnitName): Promise<UnitStatus | undefined> {
    return readRecords([await this.#read((from) => from.hget(this.#keys.units, unit))], unitStatus)[0];
  }

  async units(): Promise<readonly UnitStatus[]> {
    const units = readRecords(await this.#read((from) => from.hvals(this.#keys.units)), unitStatus);
    return units.toSorted((a, b) => compareText(a.unit, b.unit));
  }

  async addRevision(added: Omit<RevisionRecord, 'receipts'>): Promise<void> {
    const { revisions, sequences, receipts } = this.#keys;
    await this.#write((to) =>
      to
        .hset(revisions, String(added.sequence), JSON.stringify(added))
        .zadd(sequences, added.sequence, String(added.sequence)),
    );
    const old = await this.#attempt((from) => from.zrange(sequences, 0, `${-KEPT - 1}`));
    if (old === undefined || old.length === 0) return;
    await this.#write((to) =>
      to
        .zrem(sequences, ...old)
        .hdel(revisions, ...old)
        .del(...old.map(receipts)),
    );
  }

  async addReceipt(added: Receipt): Promise<void> {
    const { receipts, totals } = this.#keys;
    await this.#write((to) =>
      grow(push(to, receipts(added.sequence), JSON.stringify(added)), totals, receiptIncrements(added)),
    );
  }

  async history(limit: number): Promise<readonly RevisionRecord[]> {
    if (limit < 1) return [];
    const { revisions, sequences, receipts } = this.#keys;
    const newest = await this.#read((from) => from.zrange(sequences, 0, `${limit - 1}`, 'REV'));
    if (newest.length === 0) return [];
    const [stored, lists] = await this.#read((from) =>
      Promise.all([
        from.hmget(revisions, ...newest),
        Promise.all(newest.map((sequence) => from.lrange(receipts(sequence), 0, -1))),
      ]),
    );
    return stored.flatMap((one, index) =>
      readRecords([one], revision).map((found) => ({
        ...found,
        receipts: readRecords(lists[index] ?? [], receipt).toReversed(),
      })),
    );
  }

  async addDrift(added: DriftRecord): Promise<void> {
    const { drift, totals } = this.#keys;
    await this.#write((to) => grow(push(to, drift, JSON.stringify(added)), totals, driftIncrements(added)));
  }

  async drift(limit: number): Promise<readonly DriftRecord[]> {
    if (limit < 1) return [];
    return readRecords(await this.#read((from) => from.lrange(this.#keys.drift, 0, limit - 1)), driftRecord);
  }

  async totals(): Promise<Totals> {
    return readTotals(await this.#read((from) => from.hgetall(this.#keys.totals)));
  }

  async allow(commit: string): Promise<void> {
    const { allowed } = this.#keys;
    await this.#read((to) => committed(push(to.multi().lrem(allowed, 0, commit), allowed, commit)));
  }

  async isAllowed(commit: string): Promise<boolean> {
    return (await this.#read((from) => from.lpos(this.#keys.allowed, commit))) !== null;
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
  }

  async #write(write: (to: ChainableCommander) => ChainableCommander): Promise<void> {
    await this.#attempt((redis) => committed(write(redis.multi())));
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

  async #read<T>(use: (redis: Redis) => Promise<T>): Promise<T> {
    try {
      return await use(this.#redis);
    } catch (error) {
      throw new QueueFailure(explain(error, 'the status store'), error);
    }
  }
}

/** Carries out a MULTI; an error of one of its commands is not left among the replies. */
async function committed(commands: ChainableCommander): Promise<void> {
  for (const [error] of (await commands.exec()) ?? []) if (error !== null) throw error;
}

function push(to: ChainableCommander, list: string, value: string): ChainableCommander {
  return to.lpush(list, value).ltrim(list, 0, KEPT - 1);
}

function grow(to: ChainableCommander, totals: string, increments: Increments): ChainableCommander {
  return increments.reduce((commands, [field, by]) => commands.hincrby(totals, field, by), to);
}
