import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { UnitName } from '../model/nb.ts';
import { ok, type Result } from '../lib/result.ts';
import type { UnitJob, UnitQueue } from '../reconcile/unit-queue.ts';
import { connectRedis, infoField, type Log } from './connect-redis.ts';
import { type JobContents, jobContents } from './job-contents.ts';
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

/** Jobs added in one round trip. */
const BATCH = 500;
/** Entries of BullMQ's event stream, about. */
const EVENTS_KEPT = 1_000;

/**
 * Opens the doorbells. `ring()` never fails and never waits for a Redis that is away: what could not be delivered is
 * kept, the newest per unit, and delivered when Redis is back. When another Redis process answers then (restart,
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
  await bells.settle();
  return ok(bells);
}

/**
 * Adds jobs. A unit has at most one job that waits: while one of its jobs is active the newest ring is kept by BullMQ and
 * follows it, and a job that sits out a back-off is replaced, so that a ring never waits for somebody else's pause.
 */
export async function addJobs(queue: Queue<JobContents>, jobs: readonly UnitJob[]): Promise<void> {
  await queue.addBulk(
    jobs.map((job) => ({
      name: 'reconcile',
      data: jobContents(job),
      opts: { deduplication: { id: job.unit, keepLastIfActive: true, replace: true } },
    })),
  );
}

class Bells implements OpenQueue {
  readonly #redis: Redis;
  readonly #queue: Queue<JobContents>;
  readonly #log: Log | undefined;
  /** Rung and not delivered yet, the newest per unit. */
  readonly #pending = new Map<UnitName, UnitJob>();
  /** The last ring of every unit. */
  readonly #rung = new Map<UnitName, UnitJob>();
  #delivery: Promise<void> = Promise.resolve();
  /** The Redis process that our rings went to. */
  #server = '';

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
    redis.on('ready', () => {
      void this.settle();
    });
  }

  async ring(jobs: readonly UnitJob[]): Promise<void> {
    for (const job of jobs) {
      this.#pending.set(job.unit, job);
      this.#rung.set(job.unit, job);
    }
    await this.#deliver();
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
    await this.#deliver();
    if (this.#pending.size > 0) this.#log?.('queue.rings-lost', { units: [...this.#pending.keys()] });
    await this.#queue.close();
    this.#redis.disconnect();
  }

  /** Looks which Redis answers, and delivers. */
  async settle(): Promise<void> {
    try {
      const server = infoField(await this.#redis.info('server'), 'run_id');
      if (this.#server !== '' && server !== this.#server) this.#ringAllAgain();
      this.#server = server;
    } catch (error) {
      this.#log?.('queue.error', { error: (error as Error).message });
    }
    await this.#deliver();
  }

  #ringAllAgain(): void {
    this.#log?.('queue.other-server', { units: this.#rung.size });
    for (const [unit, job] of this.#rung) {
      if (!this.#pending.has(unit)) this.#pending.set(unit, { ...job, cause: 'resume' });
    }
  }

  /** One delivery after the other: a later ring must not overtake an earlier one of its unit. */
  #deliver(): Promise<void> {
    this.#delivery = this.#delivery.then(() => this.#deliverPending());
    return this.#delivery;
  }

  async #deliverPending(): Promise<void> {
    while (this.#pending.size > 0) {
      const batch = [...this.#pending.values()].slice(0, BATCH);
      try {
        await addJobs(this.#queue, batch);
      } catch (error) {
        // What was added in spite of the error is rung twice: harmless.
        this.#log?.('queue.rings-kept', { units: this.#pending.size, error: (error as Error).message });
        return;
      }
      for (const job of batch) if (this.#pending.get(job.unit) === job) this.#pending.delete(job.unit);
    }
  }
}
