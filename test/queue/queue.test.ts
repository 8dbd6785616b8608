import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { UnitName } from '../../src/model/nb.ts';
import { type OpenQueue, openQueue } from '../../src/queue/open-queue.ts';
import { startWorker, type UnitWorker, type WorkerOptions } from '../../src/queue/start-worker.ts';
import type { JobOutcome, UnitJob } from '../../src/reconcile/unit-queue.ts';
import { until } from '../support/ovsdb-server.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';

const WEB = 'vpc/web' as UnitName;
const STALLED: JobOutcome = { kind: 'stalled', message: 'NB refuses' };
const DONE: JobOutcome = { kind: 'done' };
const CONFLICT: JobOutcome = { kind: 'retry', class: 'conflict', message: 'NB moved on' };
const DEFERRED: JobOutcome = { kind: 'retry', class: 'deferred', message: 'waits for vpc/a' };
const TRANSPORT: JobOutcome = { kind: 'retry', class: 'transport', message: 'NB is away' };

let server: RedisServer;
let events: { event: string; fields: Readonly<Record<string, unknown>> }[];
let closers: (() => Promise<unknown>)[];

beforeEach(async () => {
  server = await startRedisServer();
  events = [];
  closers = [];
});

afterEach(async () => {
  for (const close of closers.toReversed()) await close();
  await server.stop();
});

describe('rings', () => {
  test('a ring leads to one run of its unit', async () => {
    const { queue, runs } = await pair(() => DONE);
    await queue.ring([ring({ cause: 'drift', seenAt: 7 })]);
    await until(() => runs.length === 1);
    expect(runs[0]).toEqual({ unit: WEB, cause: 'drift', seenAt: 7 });
  });

  test('ten rings while nobody works lead to one run', async () => {
    const queue = await opened();
    for (let seenAt = 0; seenAt < 10; seenAt++) await queue.ring([ring({ seenAt })]);
    const runs: UnitJob[] = [];
    await worker({ run: record(runs, () => DONE) });
    await idle(runs, 1);
  });

  test('ten rings during a run lead to exactly one more, with the newest', async () => {
    const gate = new Gate();
    const { queue, runs } = await pair(() => gate.pass(DONE));
    await queue.ring([ring({ seenAt: 0 })]);
    await until(() => runs.length === 1);
    for (let seenAt = 1; seenAt <= 10; seenAt++) await queue.ring([ring({ seenAt })]);
    gate.open();
    await idle(runs, 2);
    expect(runs[1]?.seenAt).toBe(10);
  });

  test('units run side by side, up to the concurrency', async () => {
    const gate = new Gate();
    let atOnce = 0;
    let most = 0;
    const { queue, runs } = await pair(async () => {
      most = Math.max(most, ++atOnce);
      const outcome = await gate.pass(DONE);
      atOnce--;
      return outcome;
    });
    await queue.ring(units(10).map((unit) => ring({ unit })));
    await until(() => runs.length === 4);
    gate.open();
    await idle(runs, 10);
    expect(most).toBe(4);
    expect(new Set(runs.map(({ unit }) => unit)).size).toBe(10);
  });

  test('a thousand units are rung at once', async () => {
    const { queue, runs } = await pair(() => DONE);
    await queue.ring(units(1_000).map((unit) => ring({ unit })));
    await idle(runs, 1_000);
  });

  test('installations on one Redis do not hear each other', async () => {
    const other: UnitJob[] = [];
    await worker({ owner: 'other', run: record(other, () => DONE) });
    const { queue, runs } = await pair(() => DONE);
    await queue.ring([ring({})]);
    await idle(runs, 1);
    expect(other).toEqual([]);
  });
});

describe('outcomes', () => {
  test('a conflict is tried again in place until it is through', async () => {
    let tries = 0;
    const { queue, runs } = await pair(() => (++tries < 5 ? CONFLICT : DONE));
    await queue.ring([ring({})]);
    await idle(runs, 5);
    expect(logged('queue.retry')).toEqual([]);
  });

  test('a conflict that does not end is put off after twenty tries', async () => {
    let tries = 0;
    const { queue, runs } = await pair(() => (++tries <= 20 ? CONFLICT : DONE));
    await queue.ring([ring({})]);
    await idle(runs, 21);
    expect(logged('queue.retry')).toMatchObject([{ class: 'deferred', tries: 1 }]);
  });

  test('deferred and transport come back after pauses that grow, and start small again after success', async () => {
    const outcomes = [TRANSPORT, TRANSPORT, TRANSPORT, DEFERRED, DEFERRED, DONE, TRANSPORT, DONE];
    const { queue, runs } = await pair(() => outcomes.shift() ?? DONE);
    await queue.ring([ring({ seenAt: 5 })]);
    await idle(runs, 6);
    await queue.ring([ring({ seenAt: 6 })]);
    await idle(runs, 8);
    const tries = logged('queue.retry').map(
      (fields) => `${String(fields['class'])} ${String(fields['tries'])}`,
    );
    expect(tries).toEqual([
      'transport 1',
      'transport 2',
      'transport 3',
      'deferred 1',
      'deferred 2',
      'transport 1',
    ]);
    expect(runs.map(({ seenAt }) => seenAt)).toEqual([5, 5, 5, 5, 5, 5, 6, 6]);
  });

  test('a stalled unit is looked at again and again, with one line in the log', async () => {
    const outcomes = [STALLED, STALLED, STALLED, DONE, STALLED, DONE];
    const { queue, runs } = await pair(() => outcomes.shift() ?? DONE, { stalledMs: 20 });
    await queue.ring([ring({})]);
    await idle(runs, 4);
    expect(logged('queue.stalled')).toMatchObject([{ unit: WEB, message: 'NB refuses' }]);
    await queue.ring([ring({})]);
    await idle(runs, 6);
    expect(logged('queue.stalled')).toHaveLength(2);
    expect(logged('queue.retry')).toEqual([]);
  });

  test('a stalled unit sits out half a minute, which a ring cuts short', async () => {
    let stalled = true;
    const { queue, runs } = await pair(() => (stalled ? STALLED : DONE));
    await queue.ring([ring({})]);
    await delayed(1);
    expect(Number(logged('queue.stalled')[0]?.['delayMs'])).toBeGreaterThanOrEqual(15_000);
    stalled = false;
    await queue.ring([ring({})]);
    await idle(runs, 2);
  });

  test('a run is told how often its unit has failed since it was done', async () => {
    const outcomes = [CONFLICT, CONFLICT, DEFERRED, 'throw', STALLED, DONE, CONFLICT, DONE] as const;
    const told: number[] = [];
    const queue = await opened();
    await worker({
      stalledMs: 10,
      run: async (_, __, failed) => {
        const outcome = outcomes[told.push(failed) - 1] ?? DONE;
        if (outcome === 'throw') throw new Error('a bug');
        return outcome;
      },
    });
    await queue.ring([ring({})]);
    await until(() => told.length === 6);
    await until(async () => (await counts()).every((count) => count === 0));
    await queue.ring([ring({})]);
    await until(() => told.length === 8);
    expect(told).toEqual([0, 1, 2, 3, 4, 5, 0, 1]);
  });

  test('a run that throws is logged and tried again', async () => {
    let tries = 0;
    const { queue, runs } = await pair(() => {
      if (++tries === 1) throw new Error('a bug');
      return DONE;
    });
    await queue.ring([ring({})]);
    await idle(runs, 2);
    expect(logged('queue.run-threw')).toEqual([{ unit: WEB, error: 'a bug' }]);
  });

  test('a unit that fails for ever does not hold up the others', async () => {
    const bad = 'vpc/bad' as UnitName;
    const { queue, runs } = await pair((job) => (job.unit === bad ? TRANSPORT : DONE));
    await queue.ring([ring({ unit: bad }), ...units(20).map((unit) => ring({ unit }))]);
    await until(() => runs.filter(({ unit }) => unit !== bad).length === 20);
  });
});

describe('a ring and a back-off', () => {
  test('a ring during a back-off runs at once', async () => {
    const outcomes = [...failures(8), DONE];
    const { queue, runs } = await pair(() => outcomes.shift() ?? DONE);
    await queue.ring([ring({ seenAt: 0 })]);
    // Every ring cuts the pause short; after eight of them the last pause would take half a minute at least.
    for (let seenAt = 1; seenAt <= 8; seenAt++) {
      await until(() => logged('queue.retry').length === seenAt);
      await delayed(1);
      await queue.ring([ring({ seenAt })]);
    }
    await idle(runs, 9);
    expect(runs.map(({ seenAt }) => seenAt)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(logged('queue.retry').at(-1)).toMatchObject({ tries: 8 });
    expect(Number(logged('queue.retry').at(-1)?.['delayMs'])).toBeGreaterThan(20_000);
  });

  test('ten rings during a run that ends in a back-off lead to exactly one more run, at once', async () => {
    const gate = new Gate();
    const outcomes = [...failures(7)];
    let last = false;
    const { queue, runs } = await pair(() => {
      if (last) return DONE;
      const outcome = outcomes.shift();
      return outcome ?? gate.pass(TRANSPORT);
    });
    await queue.ring([ring({ seenAt: 0 })]);
    for (let count = 1; count <= 7; count++) {
      await until(() => logged('queue.retry').length === count);
      await queue.ring([ring({ seenAt: 0 })]);
    }
    await until(() => runs.length === 8);
    for (let seenAt = 1; seenAt <= 10; seenAt++) await queue.ring([ring({ seenAt })]);
    last = true;
    gate.open();
    await until(() => runs.length === 9);
    await idle(runs, 9);
    expect(Number(logged('queue.retry').at(-1)?.['delayMs'])).toBeGreaterThan(20_000);
    expect(await delayedCount()).toBe(0);
  });

  test('a kept ring never turns a failing unit into a busy loop', async () => {
    const gate = new Gate();
    const outcomes = [...failures(6)];
    const { queue, runs } = await pair(() => outcomes.shift() ?? gate.pass(TRANSPORT));
    await queue.ring([ring({})]);
    for (let count = 1; count <= 6; count++) {
      await until(() => logged('queue.retry').length === count);
      await queue.ring([ring({})]);
    }
    await until(() => runs.length === 7);
    await queue.ring([ring({})]);
    gate.open();
    // The run, the one for the ring, and then a pause of many seconds.
    await until(() => logged('queue.retry').length === 8);
    await sleep(500);
    expect(runs.length).toBe(8);
    expect(await delayedCount()).toBe(1);
  });
});

describe('one run at a time', () => {
  test('rings from many sides never overlap runs of a unit', async () => {
    const active = new Set<UnitName>();
    let overlaps = 0;
    const queues = [await opened(), await opened(), await opened()];
    // As in real life: the desired state moves first, then the bell rings, and a run looks at the state when it starts.
    let state = 0;
    const lookedAt = new Map<UnitName, number>();
    const runs: UnitJob[] = [];
    await worker({
      concurrency: 8,
      run: record(runs, async (job) => {
        if (active.has(job.unit)) overlaps++;
        active.add(job.unit);
        const seen = state;
        await sleep(Math.random() * 4);
        active.delete(job.unit);
        const outcome = [DONE, CONFLICT, DEFERRED][Math.floor(Math.random() * 3)] ?? DONE;
        if (outcome === DONE) lookedAt.set(job.unit, seen);
        return outcome;
      }),
    });
    const names = units(5);
    for (state = 1; state < 100; state++) {
      await Promise.all(
        queues.map((queue) => queue.ring(names.map((unit) => ring({ unit, seenAt: state })))),
      );
      await sleep(Math.random() * 3);
    }
    await Promise.all(queues.map((queue) => queue.ring(names.map((unit) => ring({ unit, seenAt: state })))));
    // The newest ring of every unit is never lost.
    await until(() => names.every((unit) => lookedAt.get(unit) === 100));
    await until(async () => (await counts()).every((count) => count === 0));
    expect(overlaps).toBe(0);
    // Three queues rang each of the five units 100 times.
    expect(runs.length).toBeLessThan(1_500);
  });

  test('not even when Redis forgets that a run is under way', async () => {
    const gate = new Gate();
    let atOnce = 0;
    let most = 0;
    const { queue, runs } = await pair(async () => {
      most = Math.max(most, ++atOnce);
      const outcome = await gate.pass(DONE);
      atOnce--;
      return outcome;
    });
    await queue.ring([ring({ seenAt: 1 })]);
    await until(() => runs.length === 1);
    await redis((client) => client.flushall());
    await queue.ring([ring({ seenAt: 2 })]);
    await sleep(300);
    gate.open();
    await idle(runs, 2);
    expect(most).toBe(1);
    expect(runs[1]?.seenAt).toBe(2);
  });
});

describe('job contents', () => {
  test.each([
    ['of another version', { version: 2, unit: WEB, cause: 'drift', seenAt: 1 }],
    ['with a unit that can not be', { version: 1, unit: '../../etc', cause: 'drift', seenAt: 1 }],
    ['with an unknown cause', { version: 1, unit: WEB, cause: 'because', seenAt: 1 }],
    ['without a time', { version: 1, unit: WEB, cause: 'drift' }],
    ['with a time that is no number', { version: 1, unit: WEB, cause: 'drift', seenAt: 'now' }],
    ['that are a list', [WEB]],
    ['that are null', null],
  ])('%s are dropped and logged', async (_, contents) => {
    const { queue, runs } = await pair(() => DONE);
    await forge(contents);
    await until(() => logged('queue.job-dropped').length === 1);
    await queue.ring([ring({})]);
    await idle(runs, 1);
  });
});

describe('closing', () => {
  test('waits for the run, takes no more, and leaves the rest to the next worker', async () => {
    const gate = new Gate();
    const { queue, runs, taker } = await pair(() => gate.pass(DONE), { concurrency: 1 });
    await queue.ring(units(3).map((unit) => ring({ unit })));
    await until(() => runs.length === 1);
    expect(taker.ready).toBe(true);
    const closed = taker.close(60_000);
    expect(taker.ready).toBe(false);
    expect(await Promise.race([closed.then(() => 'closed'), sleep(200)])).toBeUndefined();
    gate.open();
    await closed;
    expect(runs.length).toBe(1);
    const rest: UnitJob[] = [];
    await worker({ run: record(rest, () => DONE) });
    await idle(rest, 2);
  });

  test('aborts the signal at the deadline, and the job goes to the next worker at once', async () => {
    const aborted: boolean[] = [];
    const runs: UnitJob[] = [];
    const taker = await worker({
      run: async (job, signal) => {
        runs.push(job);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        aborted.push(signal.aborted);
        throw new Error('gave up');
      },
    });
    const queue = await opened();
    await queue.ring([ring({})]);
    await until(() => runs.length === 1);
    await taker.close(50);
    expect(aborted).toEqual([true]);
    const rest: UnitJob[] = [];
    await worker({ run: record(rest, () => DONE) });
    await until(() => rest.length === 1);
  });

  test.each([0, 1, 300])('does not wait for ever for a Redis that went %i ms ago', async (ms) => {
    const gate = new Gate();
    const { queue, runs, taker } = await pair(() => gate.pass(DONE));
    await queue.ring([ring({})]);
    await until(() => runs.length === 1);
    await server.kill9();
    await sleep(ms);
    gate.open();
    await taker.close(10);
    await queue.close();
  });

  test('does not wait for ever for a Redis that goes during the last run', async () => {
    const gate = new Gate();
    const { queue, runs, taker } = await pair(() => gate.pass(DONE));
    await queue.ring([ring({})]);
    await until(() => runs.length === 1);
    const closed = taker.close(10);
    await server.kill9();
    gate.open();
    await closed;
  });

  test('comes to an end when Redis returns meanwhile', async () => {
    const gate = new Gate();
    const { queue, runs, taker } = await pair(() => gate.pass(DONE));
    await queue.ring([ring({})]);
    await until(() => runs.length === 1);
    await server.kill9();
    const closed = taker.close(10);
    await server.start();
    gate.open();
    await closed;
  });
});

describe('a Redis that dies', () => {
  test('and comes back empty: rings work again, and all that was ever rung is looked at again', async () => {
    const { queue, runs } = await pair(() => DONE);
    await queue.ring(units(3).map((unit) => ring({ unit })));
    await idle(runs, 3);
    await server.kill9();
    await queue.ring([ring({ unit: WEB })]);
    expect(logged('queue.rings-kept')).toHaveLength(1);
    await server.start();
    await until(() => runs.length === 7);
    expect(
      runs
        .slice(3)
        .map(({ unit, cause }) => `${unit} ${cause}`)
        .toSorted(),
    ).toEqual(['vpc/u0 resume', 'vpc/u1 resume', 'vpc/u2 resume', 'vpc/web revision']);
    await queue.ring([ring({ seenAt: 99 })]);
    await idle(runs, 8);
  });

  test('several times, also while a worker has a run under way', async () => {
    const gate = new Gate();
    const { queue, runs } = await pair(() => gate.pass(DONE));
    for (let round = 1; round <= 3; round++) {
      await queue.ring([ring({ seenAt: round })]);
      await until(() => runs.at(-1)?.seenAt === round);
      await server.kill9();
      await server.start();
      gate.open();
      await until(
        () => runs.filter(({ cause, seenAt }) => cause === 'resume' && seenAt === round).length > 0,
      );
      gate.shut();
      gate.open();
      gate.shut();
    }
    gate.open();
    const before = runs.length;
    await queue.ring([ring({ seenAt: 99 })]);
    await until(() => runs.length > before && runs.at(-1)?.seenAt === 99);
  });

  test('a unit that was in a back-off is tried again', async () => {
    let away = true;
    const { queue, runs } = await pair(() => (away ? TRANSPORT : DONE));
    await queue.ring([ring({})]);
    await until(() => logged('queue.retry').length === 2);
    away = false;
    await server.kill9();
    await server.start();
    await until(() => runs.length >= 3);
  });

  test('a back-off outlives the worker', async () => {
    const { queue, runs, taker } = await pair(() => TRANSPORT);
    await queue.ring([ring({})]);
    await until(() => logged('queue.retry').length === 1);
    await taker.close(1_000);
    expect(runs.length).toBeGreaterThan(0);
    const next: UnitJob[] = [];
    await worker({ run: record(next, () => DONE) });
    await idle(next, 1);
  });
});

describe('a Redis that refuses writes for a while', () => {
  test.each<[string, (client: Redis) => Promise<unknown>, (client: Redis) => Promise<unknown>]>([
    [
      'without memory',
      (client) => client.config('SET', 'maxmemory', '1mb'),
      (client) => client.config('SET', 'maxmemory', '0'),
    ],
    ['as a replica', (client) => client.replicaof('127.0.0.1', 1), (client) => client.replicaof('NO', 'ONE')],
    ...['wait', 'active', 'delayed', 'meta', 'id', 'events', 'de:vpc/web'].map(damaged),
  ])('%s: rings arrive when it is well again', async (_, harm, mend) => {
    const { queue, runs } = await pair(() => DONE);
    await redis(harm);
    await queue.ring([ring({ seenAt: 1 }), ring({ unit: 'global' as UnitName })]);
    await sleep(400);
    await queue.ring([ring({ seenAt: 2 })]);
    await sleep(400);
    await redis(mend);
    await until(() => runs.some(({ seenAt }) => seenAt === 2) && runs.some(({ unit }) => unit === 'global'));
    await until(async () => (await counts()).every((count) => count === 0));
    await queue.ring([ring({ seenAt: 3 })]);
    await until(() => runs.some(({ seenAt }) => seenAt === 3));
    expect(logged('queue.rings-kept').length).toBeLessThan(4);
  });

  test('a list of jobs that was deleted does not silence its units', async () => {
    const queue = await opened();
    await queue.ring([ring({ seenAt: 1 })]);
    await redis((client) => client.del(`${KEYS}wait`));
    await queue.ring([ring({ seenAt: 2 })]);
    const runs: UnitJob[] = [];
    await worker({ run: record(runs, () => DONE) });
    await idle(runs, 1);
    expect(runs[0]?.seenAt).toBe(2);
  });

  test('a job that could not be put off is tried again', async () => {
    const gate = new Gate();
    const outcomes = [DEFERRED];
    const { queue, runs } = await pair(() => gate.pass(outcomes.shift() ?? DONE));
    await queue.ring([ring({})]);
    await until(() => runs.length === 1);
    const [, harm, mend] = damaged('delayed');
    await redis(harm);
    gate.open();
    await until(() => logged('queue.job-lost').length === 1);
    await redis(mend);
    await until(() => runs.length === 2);
  });

  test('closing ends the tries', async () => {
    const queue = await opened();
    await redis((client) => client.config('SET', 'maxmemory', '1mb'));
    await queue.ring([ring({})]);
    await queue.close();
    expect(logged('queue.rings-lost')).toEqual([{ units: [WEB] }]);
    const before = events.length;
    await sleep(600);
    expect(events).toHaveLength(before);
  });
});

test('Redis does not fill up', async () => {
  const { queue, runs } = await pair(() => DONE);
  for (let round = 0; round < 10; round++) {
    await queue.ring(units(200).map((unit) => ring({ unit })));
    await until(() => runs.length >= (round + 1) * 200);
  }
  await idle(runs, 2_000);
  const sizes = await redis(async (client) => ({
    keys: await client.dbsize(),
    events: await client.xlen('{ovn-gitops:test}:units:events'),
  }));
  // About 100 finished jobs and a few keys of the queue itself; the stream is trimmed in steps.
  expect(sizes.keys).toBeLessThan(200);
  expect(sizes.events).toBeLessThan(1_500);
  const keys = await redis((client) => client.keys('*'));
  expect(keys.filter((key) => !key.startsWith('{ovn-gitops:test}:'))).toEqual([]);
});

const KEYS = '{ovn-gitops:test}:units:';

/** Puts something of another type in the place of a key of the queue, and takes it away. */
function damaged(
  name: string,
): [string, (client: Redis) => Promise<unknown>, (client: Redis) => Promise<unknown>] {
  const key = `${KEYS}${name}`;
  return [
    `with a damaged key ${name}`,
    (client) => client.multi().del(key).sadd(key, 'x').exec(),
    (client) => client.del(key),
  ];
}

async function opened(owner = 'test'): Promise<OpenQueue> {
  const result = await openQueue({ redis: { url: server.path }, owner, log });
  if (!result.ok) throw new Error(result.error.message);
  closers.push(() => result.value.close());
  return result.value;
}

async function worker(options: Partial<WorkerOptions> & Pick<WorkerOptions, 'run'>): Promise<UnitWorker> {
  const result = await startWorker({
    redis: { url: server.path },
    owner: 'test',
    concurrency: 4,
    log,
    ...options,
  });
  if (!result.ok) throw new Error(result.error.message);
  closers.push(() => result.value.close(0));
  return result.value;
}

type Run = (job: UnitJob) => JobOutcome | Promise<JobOutcome>;

async function pair(
  run: Run,
  options: Partial<WorkerOptions> = {},
): Promise<{ queue: OpenQueue; taker: UnitWorker; runs: UnitJob[] }> {
  const runs: UnitJob[] = [];
  const queue = await opened();
  const taker = await worker({ ...options, run: record(runs, run) });
  return { queue, taker, runs };
}

function record(runs: UnitJob[], run: Run): WorkerOptions['run'] {
  return async (job) => {
    runs.push(job);
    return run(job);
  };
}

/** Waits for that many runs and until the queue is empty, so that one run too many would show. */
async function idle(runs: readonly UnitJob[], expected: number): Promise<void> {
  await until(() => runs.length >= expected);
  await until(async () => (await counts()).every((count) => count === 0));
  expect(runs).toHaveLength(expected);
}

/** Jobs waiting, active and in a back-off. */
function counts(): Promise<readonly number[]> {
  return redis((client) =>
    Promise.all([
      client.llen('{ovn-gitops:test}:units:wait'),
      client.llen('{ovn-gitops:test}:units:active'),
      client.zcard('{ovn-gitops:test}:units:delayed'),
    ]),
  );
}

async function delayedCount(): Promise<number> {
  return (await counts())[2] ?? 0;
}

async function delayed(count: number): Promise<void> {
  await until(async () => (await delayedCount()) === count);
}

/** Puts a job into the queue as somebody with access to Redis could. */
async function forge(contents: unknown): Promise<void> {
  await redis((client) =>
    client
      .multi()
      .hset(
        '{ovn-gitops:test}:units:forged',
        'name',
        'x',
        'data',
        JSON.stringify(contents),
        'opts',
        '{}',
        'timestamp',
        '1',
      )
      .lpush('{ovn-gitops:test}:units:wait', 'forged')
      .zadd('{ovn-gitops:test}:units:marker', 0, '0')
      .exec(),
  );
}

async function redis<T>(use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(server.path);
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

function log(event: string, fields: Readonly<Record<string, unknown>>): void {
  events.push({ event, fields });
}

function logged(event: string): readonly Readonly<Record<string, unknown>>[] {
  return events.filter((one) => one.event === event).map(({ fields }) => fields);
}

function ring(fields: Partial<UnitJob>): UnitJob {
  return { unit: WEB, cause: 'revision', seenAt: 1, ...fields };
}

function units(count: number): readonly UnitName[] {
  return Array.from({ length: count }, (_, index) => `vpc/u${index}` as UnitName);
}

function failures(count: number): JobOutcome[] {
  return Array.from({ length: count }, () => TRANSPORT);
}

/** Holds runs back until it is opened. */
class Gate {
  #waiting: (() => void)[] = [];
  #open = false;

  async pass(outcome: JobOutcome): Promise<JobOutcome> {
    if (!this.#open) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return outcome;
  }

  open(): void {
    this.#open = true;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  shut(): void {
    this.#open = false;
  }
}
