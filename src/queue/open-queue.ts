import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { UnitName } from '../model/nb.ts';
import { ok, type Result } from '../lib/result.ts';
import type { UnitJob, UnitQueue } from '../reconcile/unit-queue.ts';
import { connectRedis, infoField, type Log } from './connect-redis.ts';
import { Deliveries } from './deliveries.ts';
import type { JobContents } from './job-contents.ts';
import { keyPrefix, QUEUE_NAME } from './keys.ts';
import type { QueueError } from './queue-error.ts';
import type { RedisOptions } from './redis-options.ts';

export interface QueueOptions {
  readonly redis: RedisOptions;
  /** The installation; installations share nothing, also on one Redis. */
  readonly owner: string;
  readonly log?: Log;
}

export interface OpenQueue extends UnitQueue {
  /** How many jobs there are; throws while Redis is away. */
  depth(): Promise<QueueDepth>;
  close(): Promise<void>;
}

/** Jobs that are to be taken, that sit out a back-off, and that workers have taken. */
export type QueueDepth = Readonly<Record<'waiting' | 'delayed' | 'active', number>>;

/** Entries of BullMQ's event stream, about. */
const EVENTS_KEPT = 1_000;

/**
 * Opens the doorbells. `ring()` never fails and never waits for a Redis that is away: what could not be delivered is
 * kept, the newest per unit, and delivered when Redis takes it. When another Redis process answers then (restart,
 * failover), its memory may be older than ours, so every unit that was ever rung is rung again.
 */
export async function openQueue(
  options: QueueOptions,
  signal?: AbortSignal,
): Promise<Result<OpenQueue, QueueError>> {
  const prefix = keyPrefix(options.owner);
  if (!prefix.ok) return prefix;
  const connected = await connectRedis(options.redis, 'fail-fast', options.log, signal);
  if (!connected.ok) return connected;
  const bells = new Bells(connected.value.redis, prefix.value, options.log);
  await bells.connected();
  return ok(bells);
}

class Bells implements OpenQueue {
  readonly #redis: Redis;
  readonly #queue: Queue<JobContents>;
  readonly #log: Log | undefined;
  readonly #deliveries: Deliveries;
  /** The last ring of every unit. */
  readonly #rung = new Map<UnitName, UnitJob>();
  /** The Redis process that our rings went to. */
  #server = '';
  /** False when another process may answer by now. */
  #serverKnown = false;

  constructor(redis: Redis, prefix: string, log: Log | undefined) {
    this.#redis = redis;
    this.#log = log;
    this.#queue = new Queue<JobContents>(QUEUE_NAME, {
      connection: redis,
      prefix,
      streams: { events: { maxLen: EVENTS_KEPT } },
      // The version was checked when connecting.
      skipVersionCheck: true,
    });
    this.#queue.on('error', (error) => this.#log?.('queue.error', { error: error.message }));
    this.#deliveries = new Deliveries({
      redis,
      queue: this.#queue,
      log,
      prepare: () => this.#lookWhoAnswers(),
    });
    redis.on('ready', () => {
      void this.connected();
    });
  }

  async ring(jobs: readonly UnitJob[]): Promise<void> {
    for (const job of jobs) {
      this.#deliveries.keep(job);
      this.#rung.set(job.unit, job);
    }
    await this.#deliveries.deliver();
  }

  async depth(): Promise<QueueDepth> {
    const {
      waiting = 0,
      delayed = 0,
      active = 0,
    } = await this.#queue.getJobCounts('waiting', 'delayed', 'active');
    return { waiting, delayed, active };
  }

  async close(): Promise<void> {
    const units = await this.#deliveries.close();
    if (units.length > 0) this.#log?.('queue.rings-lost', { units });
    await this.#queue.close();
    this.#redis.disconnect();
  }

  /** Looks which Redis answers, and delivers. */
  connected(): Promise<void> {
    this.#serverKnown = false;
    return this.#deliveries.deliver();
  }

  async #lookWhoAnswers(): Promise<void> {
    if (this.#serverKnown) return;
    this.#serverKnown = true;
    try {
      const server = infoField(await this.#redis.info('server'), 'run_id');
      if (this.#server !== '' && server !== this.#server) this.#ringAllAgain();
      this.#server = server;
    } catch (error) {
      this.#serverKnown = false;
      throw error;
    }
  }

  #ringAllAgain(): void {
    this.#log?.('queue.other-server', { units: this.#rung.size });
    for (const [unit, job] of this.#rung) {
      if (!this.#deliveries.has(unit)) this.#deliveries.keep({ ...job, cause: 'resume' });
    }
  }
}
