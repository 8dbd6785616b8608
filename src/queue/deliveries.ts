import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { reached } from '../model/fault-point.ts';
import type { UnitName } from '../model/nb.ts';
import type { UnitJob } from '../reconcile/unit-queue.ts';
import { backOff } from './back-off.ts';
import type { Log } from './connect-redis.ts';
import { type JobContents, jobContents } from './job-contents.ts';
import { FORGET_LOST_JOBS } from './forget-lost-jobs.ts';

export interface DeliveryParts {
  readonly redis: Redis;
  readonly queue: Queue<JobContents>;
  readonly log: Log | undefined;
  /** What has to succeed before a delivery, and is tried again with it. */
  readonly prepare?: () => Promise<void>;
}

/** Jobs added in one round trip. */
const BATCH = 500;

/**
 * Takes rings to Redis. What Redis does not take (it is away, out of memory, a replica for now, one of BullMQ's keys is
 * damaged) is kept, the newest per unit, and tried again after pauses of up to 5 s until it is through.
 */
export class Deliveries {
  readonly #parts: DeliveryParts;
  /** Rung and not delivered yet, the newest per unit. */
  readonly #pending = new Map<UnitName, UnitJob>();
  #last: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  /** Attempts in a row that failed. */
  #failures = 0;
  /** What has been logged of them. */
  #logged: string | undefined;
  #closed = false;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  has(unit: UnitName): boolean {
    return this.#pending.has(unit);
  }

  keep(job: UnitJob): void {
    this.#pending.set(job.unit, job);
  }

  /** Never fails. One delivery after the other: a later ring must not overtake an earlier one of its unit. */
  deliver(): Promise<void> {
    this.#last = this.#last.then(() => this.#attempt());
    return this.#last;
  }

  /** Tries once more, and then no more. Says which units stay undelivered. */
  async close(): Promise<readonly UnitName[]> {
    this.#closed = true;
    clearTimeout(this.#timer);
    if (this.#pending.size > 0) await this.deliver();
    await this.#last;
    return [...this.#pending.keys()];
  }

  async #attempt(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      await this.#parts.prepare?.();
      while (this.#pending.size > 0) {
        const batch = [...this.#pending.values()].slice(0, BATCH);
        await addJobs(this.#parts, batch);
        for (const job of batch) if (this.#pending.get(job.unit) === job) this.#pending.delete(job.unit);
      }
      this.#failures = 0;
      this.#logged = undefined;
    } catch (error) {
      // What was added in spite of the error is rung twice: harmless.
      this.#tryAgain((error as Error).message);
    }
  }

  #tryAgain(error: string): void {
    if (this.#logged !== error) this.#parts.log?.('queue.rings-kept', { units: this.#pending.size, error });
    this.#logged = error;
    this.#failures += 1;
    if (this.#closed) return;
    const pause = backOff('delivery', this.#failures, Math.random());
    this.#timer = setTimeout(() => void this.deliver(), pause);
  }
}

/**
 * Adds jobs. A unit has at most one job that waits: while one of its jobs is active the newest ring is kept by BullMQ and
 * follows it, and a job that sits out a back-off is replaced, so that a ring never waits for somebody else's pause.
 */
async function addJobs({ redis, queue }: DeliveryParts, jobs: readonly UnitJob[]): Promise<void> {
  const keys = ['wait', 'paused', 'active', 'delayed', 'prioritized', 'id'].map((name) => queue.toKey(name));
  const units = jobs.map(({ unit }) => unit);
  reached('rings to be delivered');
  await redis.eval(FORGET_LOST_JOBS, keys.length, ...keys, queue.toKey(''), Date.now(), ...units);
  reached('lost jobs forgotten');
  await queue.addBulk(
    jobs.map((job) => ({
      name: 'reconcile',
      data: jobContents(job),
      opts: { deduplication: { id: job.unit, keepLastIfActive: true, replace: true } },
    })),
  );
  reached('rings delivered');
}
