import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, type Job, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { ok, type Result } from '../lib/result.ts';
import { reached } from '../model/fault-point.ts';
import type { UnitName } from '../model/nb.ts';
import type { JobOutcome, UnitJob } from '../reconcile/unit-queue.ts';
import { backOff, type RetryClass, spread } from './back-off.ts';
import { connectRedis, type Log, type RedisConnection } from './connect-redis.ts';
import { Deliveries } from './deliveries.ts';
import { type JobContents, readJobContents } from './job-contents.ts';
import { keyPrefix, QUEUE_NAME } from './keys.ts';
import type { QueueError } from './queue-error.ts';
import type { RedisOptions } from './redis-options.ts';

export interface WorkerOptions {
  readonly redis: RedisOptions;
  /** The installation, as for openQueue(). */
  readonly owner: string;
  /** Units that may be worked on at once; never two runs of the same unit. */
  readonly concurrency: number;
  /** How long a unit stays with a worker that died, ms. Default 20,000; a wrong guess only costs a second look. */
  readonly lockMs?: number;
  /** The pause before a stalled unit is looked at again, ms; up to half of it is left to chance. Default 30,000. */
  readonly stalledMs?: number;
  /**
   * Does the work. `signal` is aborted when the worker has to end: stop at the next safe point. `failures` are this
   * worker's runs of the unit since the last one that was done, also those in place for a conflict.
   */
  readonly run: (job: UnitJob, signal: AbortSignal, failures: number) => Promise<JobOutcome>;
  readonly log?: Log;
}

export interface UnitWorker {
  /** True while Redis is reached and jobs are taken. */
  readonly ready: boolean;
  /**
   * Takes no more jobs, aborts the runs' signal after `deadlineMs`, and resolves when the last run has ended. What was not
   * done is left in the queue for the next worker.
   */
  close(deadlineMs: number): Promise<void>;
}

const LOCK_MS = 20_000;
const STALLED_MS = 30_000;
/** Tries in place before a conflict is put off like any other failure. */
const CONFLICT_TRIES = 20;
/** How long a Redis that is away may hold up close(), ms. */
const CLOSE_PATIENCE = 2_000;

/** Starts taking jobs. Errors are those of connecting; later ones are logged, and waited out. */
export async function startWorker(
  options: WorkerOptions,
  signal?: AbortSignal,
): Promise<Result<UnitWorker, QueueError>> {
  const prefix = keyPrefix(options.owner);
  if (!prefix.ok) return prefix;
  const connected = await connectRedis(options.redis, 'patient', options.log, signal);
  if (!connected.ok) return connected;
  return ok(new JobTaker(connected.value, prefix.value, options));
}

type PauseClass = RetryClass | 'stalled';

class JobTaker implements UnitWorker {
  readonly #redis: Redis;
  readonly #giveUp: () => void;
  readonly #queue: Queue<JobContents>;
  readonly #worker: Worker<JobContents>;
  /** Rings of our own, in place of jobs that Redis could not let wait. */
  readonly #deliveries: Deliveries;
  readonly #options: WorkerOptions;
  readonly #end = new AbortController();
  /** Runs under way. Redis alone can't promise one at a time: it may lose a job's lock, or everything. */
  readonly #running = new Map<UnitName, Promise<unknown>>();
  /** Runs since the last one that was done. */
  readonly #failures = new Map<UnitName, number>();
  /** What the last run came to, and how often in a row, for the length of the next pause. */
  readonly #pauses = new Map<UnitName, { readonly class: PauseClass; readonly tries: number }>();
  #closed: Promise<void> | undefined;

  constructor(connection: RedisConnection, prefix: string, options: WorkerOptions) {
    const { redis } = connection;
    this.#redis = redis;
    this.#giveUp = () => {
      connection.giveUp();
    };
    this.#options = options;
    const shared = { connection: redis, prefix, skipVersionCheck: true } as const;
    this.#queue = new Queue<JobContents>(QUEUE_NAME, { ...shared, skipMetasUpdate: true });
    this.#deliveries = new Deliveries({ redis, queue: this.#queue, log: options.log });
    this.#worker = new Worker<JobContents>(QUEUE_NAME, (job, token) => this.#take(job, token), {
      ...shared,
      concurrency: options.concurrency,
      // A worker that is merely busy renews at half of this. Should it not, the fence in NB keeps two runs from harm.
      lockDuration: options.lockMs ?? LOCK_MS,
      stalledInterval: (options.lockMs ?? LOCK_MS) / 2,
      // A unit is never given up because workers die.
      maxStalledCount: 1_000_000,
      // After an error that is not the connection's, e.g. a Redis that is still loading.
      runRetryDelay: 1_000,
      removeOnComplete: { count: 100, age: 3_600 },
      removeOnFail: { count: 1_000, age: 7 * 86_400 },
    });
    const onError = (error: Error): void => options.log?.('queue.error', { error: error.message });
    this.#queue.on('error', onError);
    this.#worker.on('error', onError);
  }

  get ready(): boolean {
    return this.#closed === undefined && this.#redis.status === 'ready' && this.#worker.isRunning();
  }

  close(deadlineMs: number): Promise<void> {
    this.#closed ??= this.#drain(deadlineMs);
    return this.#closed;
  }

  async #drain(deadlineMs: number): Promise<void> {
    const deadline = setTimeout(() => {
      this.#end.abort();
    }, deadlineMs);
    const closed = this.#worker.close();
    while (this.#running.size > 0) await Promise.all(this.#running.values());
    clearTimeout(deadline);
    const impatient = setTimeout(() => void this.#leaveRedis(), CLOSE_PATIENCE);
    await closed;
    await this.#deliveries.close();
    clearTimeout(impatient);
    await this.#queue.close();
    this.#redis.disconnect();
  }

  /** Ends both connections, so that what waits for Redis fails. */
  async #leaveRedis(): Promise<void> {
    this.#options.log?.('queue.redis-given-up', {});
    this.#giveUp();
    const blocking = await this.#worker.getBackend().blockingClient;
    await Promise.all([
      endConnection(this.#redis),
      blocking === undefined ? undefined : endConnection(blocking),
    ]);
  }

  /** What BullMQ calls for a job; throwing its own errors tells it where the job goes. */
  async #take(job: Job<JobContents>, token: string | undefined): Promise<void> {
    const unitJob = readJobContents(job.data);
    if (unitJob === undefined) {
      this.#options.log?.('queue.job-dropped', { id: job.id, why: 'not written by ovn-gitops' });
      return;
    }
    reached('job taken');
    const outcome = await this.#alone(unitJob);
    if (outcome.kind === 'done') {
      this.#pauses.delete(unitJob.unit);
      reached('job to be ended');
      return;
    }
    await this.#postpone(job, token, unitJob, outcome);
    throw new DelayedError();
  }

  /** Runs when no other run of the unit is under way. */
  async #alone(job: UnitJob): Promise<JobOutcome> {
    while (this.#running.has(job.unit)) await this.#running.get(job.unit);
    const run = this.#runThroughConflicts(job);
    this.#running.set(job.unit, run);
    const outcome = await run;
    this.#running.delete(job.unit);
    return outcome;
  }

  async #runThroughConflicts(job: UnitJob): Promise<JobOutcome> {
    for (let tries = 1; ; tries += 1) {
      const outcome = await this.#run(job);
      if (outcome.kind !== 'retry' || outcome.class !== 'conflict') return outcome;
      if (tries === CONFLICT_TRIES || this.#end.signal.aborted) return { ...outcome, class: 'deferred' };
      await sleep(backOff('conflict', tries, Math.random()));
    }
  }

  /** A run that throws is a bug of ours; the network must be made right all the same. */
  async #run(job: UnitJob): Promise<JobOutcome> {
    const failures = this.#failures.get(job.unit) ?? 0;
    this.#failures.set(job.unit, failures + 1);
    try {
      const outcome = await this.#options.run(job, this.#end.signal, failures);
      if (outcome.kind === 'done') this.#failures.delete(job.unit);
      return outcome;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (!this.#end.signal.aborted)
        this.#options.log?.('queue.run-threw', { unit: job.unit, error: message });
      return { kind: 'retry', class: 'transport', message };
    }
  }

  /** Lets the job itself wait in Redis, so that the next try survives the death of this process. */
  async #postpone(
    job: Job<JobContents>,
    token: string | undefined,
    unitJob: UnitJob,
    outcome: Exclude<JobOutcome, { kind: 'done' }>,
  ): Promise<void> {
    const { unit } = unitJob;
    const delayMs = this.#pauseAfter(unit, outcome);
    reached('job to be put off');
    try {
      await job.moveToDelayed(Date.now() + delayMs, token);
    } catch (error) {
      // Redis lost the job, or gave it to another worker.
      this.#options.log?.('queue.job-lost', { unit, error: (error as Error).message });
      await this.#ring(unitJob);
      return;
    }
    reached('job put off');
    // A ring that came while the job was active is kept until the job has ended, which it has not: without this the ring
    // would wait for the pause as well. Ringing again takes the pausing job away together with the kept ring.
    if ((await this.#redis.exists(this.#queue.toKey(`dn:${unit}`))) > 0) await this.#ring(unitJob);
  }

  async #ring(job: UnitJob): Promise<void> {
    this.#deliveries.keep(job);
    await this.#deliveries.deliver();
  }

  /** How long a unit has to wait, ms. A unit that stays stalled is not worth another line in the log. */
  #pauseAfter(unit: UnitName, outcome: Exclude<JobOutcome, { kind: 'done' }>): number {
    const { message } = outcome;
    const pauseClass = outcome.kind === 'stalled' ? 'stalled' : outcome.class;
    const before = this.#pauses.get(unit);
    const tries = before?.class === pauseClass ? before.tries + 1 : 1;
    this.#pauses.set(unit, { class: pauseClass, tries });
    const pause =
      pauseClass === 'stalled'
        ? spread(this.#options.stalledMs ?? STALLED_MS, Math.random())
        : backOff(pauseClass, tries, Math.random());
    // When this process has to end, whoever comes next may take over at once.
    const delayMs = this.#end.signal.aborted ? 0 : pause;
    if (pauseClass !== 'stalled') {
      this.#options.log?.('queue.retry', { unit, class: pauseClass, tries, delayMs, message });
    } else if (tries === 1) this.#options.log?.('queue.stalled', { unit, delayMs, message });
    return delayMs;
  }
}

/**
 * Ends a connection whatever state it is in. One that is told to end between two tries to reconnect never says that it has
 * ended, and BullMQ waits for that word: one more try brings it.
 */
async function endConnection(
  client: Pick<Redis, 'disconnect' | 'connect'> & { status: string },
): Promise<void> {
  while (client.status !== 'end') {
    client.disconnect();
    if (client.status === 'reconnecting') await client.connect().catch(() => undefined);
    await sleep(20);
  }
}
