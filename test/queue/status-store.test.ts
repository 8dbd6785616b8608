import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { UnitName } from '../../src/model/nb.ts';
import type { DriftRecord, Receipt, SourceStatus, UnitStatus } from '../../src/model/status.ts';
import { QueueFailure } from '../../src/queue/queue-error.ts';
import { type OpenStatusStore, openStatusStore } from '../../src/queue/status-store.ts';
import { until } from '../support/ovsdb-server.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';

let server: RedisServer;
let store: OpenStatusStore;
let raw: Redis;
let events: string[];

beforeEach(async () => {
  server = await startRedisServer();
  events = [];
  store = await opened('test');
  raw = new Redis(server.path);
  raw.on('error', () => undefined);
});

afterEach(async () => {
  raw.disconnect();
  await store.close();
  await server.stop();
});

const SOURCE: SourceStatus = {
  url: 'https://git.example/net.git',
  condition: 'Ready',
  reason: 'Applied',
  message: '',
  serving: { sequence: 3, commit: 'abc' },
  seen: 'abc',
  fetchedAt: 1,
  diagnostics: '',
};

describe('the source', () => {
  test('is unknown at first', async () => {
    expect(await store.source()).toBeUndefined();
  });

  test.each([
    ['with all fields', SOURCE],
    ['with as few as there may be', { ...SOURCE, serving: undefined, seen: undefined, fetchedAt: undefined }],
  ])('is kept %s', async (_, status) => {
    await store.writeSource(status);
    expect(await store.source()).toEqual(status);
  });
});

describe('units', () => {
  test('are kept, replaced and removed', async () => {
    await store.writeUnit(unit('web', { condition: 'Reconciling' }));
    await store.writeUnit(unit('web', {}));
    await store.writeUnit(unit('db', { convergence: undefined }));
    await store.writeUnit(unit('old', {}));
    await store.removeUnits([unit('old', {}).unit, 'vpc/never' as UnitName]);
    await store.removeUnits([]);
    expect((await store.units()).toSorted((a, b) => (a.unit < b.unit ? -1 : 1))).toEqual([
      unit('db', { convergence: undefined }),
      unit('web', {}),
    ]);
  });

  test('garbage is left out', async () => {
    await store.writeUnit(unit('web', {}));
    await raw.hset('{ovn-gitops:test}:status:units', {
      a: 'no json',
      b: 'null',
      c: '[]',
      d: JSON.stringify({ ...unit('d', {}), condition: 'Happy' }),
      e: JSON.stringify({ ...unit('e', {}), at: 'noon' }),
      f: JSON.stringify({ ...unit('f', {}), convergence: { nbCfg: 1, chassis: { caughtUp: 1 } } }),
    });
    expect(await store.units()).toEqual([unit('web', {})]);
  });
});

describe('history', () => {
  test('has the newest revision first, with receipts in the order they came', async () => {
    for (const sequence of [1, 2, 10]) await store.addRevision(revision(sequence));
    await store.addReceipt(receipt(2, 'a'));
    await store.addReceipt(receipt(2, 'b'));
    expect(await store.history(10)).toEqual([
      { ...revision(10), receipts: [] },
      { ...revision(2), receipts: [receipt(2, 'a'), receipt(2, 'b')] },
      { ...revision(1), receipts: [] },
    ]);
    expect((await store.history(1)).map(({ sequence }) => sequence)).toEqual([10]);
    expect(await store.history(0)).toEqual([]);
  });

  test('has a revision once, however often it was added', async () => {
    await store.addRevision(revision(1));
    await store.addRevision({ ...revision(1), subject: 'corrected' });
    expect((await store.history(5)).map(({ subject }) => subject)).toEqual(['corrected']);
  });

  test('keeps the newest thousand, and nothing of the others', async () => {
    for (let sequence = 1; sequence <= 1_003; sequence++) {
      await store.addRevision(revision(sequence));
      if (sequence < 5) await store.addReceipt(receipt(sequence, 'web'));
    }
    const history = await store.history(5_000);
    expect(history).toHaveLength(1_000);
    expect(history.at(-1)?.sequence).toBe(4);
    expect(await raw.keys('*receipts*')).toEqual(['{ovn-gitops:test}:status:receipts:4']);
    expect(await raw.hlen('{ovn-gitops:test}:status:revisions')).toBe(1_000);
  });

  test('garbage is left out', async () => {
    await store.addRevision(revision(1));
    await store.addRevision(revision(2));
    await raw.hset('{ovn-gitops:test}:status:revisions', '2', '{"sequence":"two"}');
    await raw.lpush('{ovn-gitops:test}:status:receipts:1', 'x', '{}');
    expect(await store.history(5)).toEqual([{ ...revision(1), receipts: [] }]);
  });
});

test('drift has the newest first, and a thousand entries at most', async () => {
  for (let seenAt = 1; seenAt <= 1_010; seenAt++) await store.addDrift(drift(seenAt));
  expect(await store.drift(2)).toEqual([drift(1_010), drift(1_009)]);
  expect(await store.drift(5_000)).toHaveLength(1_000);
  expect(await store.drift(0)).toEqual([]);
});

describe('totals', () => {
  test('grow with every transaction and every drift', async () => {
    await store.addReceipt(receipt(1, 'a'));
    await store.addReceipt({ ...receipt(1, 'a'), cause: 'drift', created: 0, tookMs: 60_000 });
    await store.addReceipt({ ...receipt(1, 'b'), tookMs: -3 });
    for (let seenAt = 1; seenAt <= 1_010; seenAt++) await store.addDrift(drift(seenAt));
    const totals = await store.totals();
    expect(totals.rows).toEqual({
      revision: { created: 2, updated: 4, deleted: 6 },
      drift: { created: 0, updated: 2, deleted: 3 },
    });
    expect(totals.drift).toEqual({ corrected: 1_010, reported: 0, contested: 0 });
    expect(totals.commits).toEqual([2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    expect(totals.commitMs).toBe(60_005);
  });

  test('garbage is zero', async () => {
    await raw.hset('{ovn-gitops:test}:status:totals', { 'drift:corrected': 'many', 'commit-ms': '-4' });
    const { drift: counts, commitMs } = await store.totals();
    expect([counts.corrected, commitMs]).toEqual([0, 0]);
  });
});

test('a commit is allowed when somebody has allowed it, and others are not', async () => {
  expect(await store.isAllowed('abc')).toBe(false);
  await store.allow('abc');
  await store.allow('abc');
  expect(await store.isAllowed('abc')).toBe(true);
  expect(await store.isAllowed('ab')).toBe(false);
  expect(await raw.llen('{ovn-gitops:test}:status:allowed')).toBe(1);
});

test('installations do not see each other', async () => {
  const other = await opened('other');
  await store.writeSource(SOURCE);
  expect(await other.source()).toBeUndefined();
  await other.close();
});

test('while Redis is away writes are left out, reads and permissions fail, and then it works again', async () => {
  await server.kill9();
  await store.writeUnit(unit('web', {}));
  await store.addRevision(revision(1));
  expect(new Set(events)).toContain('status.not-written');
  await expect(store.units()).rejects.toThrow(QueueFailure);
  await expect(store.allow('abc')).rejects.toThrow(QueueFailure);
  await server.start();
  await until(async () => {
    await store.writeUnit(unit('web', {}));
    return raw.hexists('{ovn-gitops:test}:status:units', 'vpc/web').then(Boolean, () => false);
  });
  expect(await store.units()).toEqual([unit('web', {})]);
});

describe('keys that somebody gave another type', () => {
  const NAMES = ['source', 'units', 'revisions', 'sequences', 'drift', 'allowed', 'totals', 'receipts:1'];

  beforeEach(async () => {
    for (const name of NAMES) {
      const key = `{ovn-gitops:test}:status:${name}`;
      await (name === 'source' ? raw.lpush(key, 'x') : raw.set(key, 'x'));
    }
  });

  test('read as if they were absent, and are logged once', async () => {
    for (let round = 0; round < 2; round++) {
      expect(await store.source()).toBeUndefined();
      expect(await store.unit(unit('web', {}).unit)).toBeUndefined();
      expect(await store.units()).toEqual([]);
      expect(await store.history(5)).toEqual([]);
      expect(await store.drift(5)).toEqual([]);
      expect(await store.isAllowed('abc')).toBe(false);
      expect((await store.totals()).commitMs).toBe(0);
    }
    expect(events).toEqual(Array.from({ length: 6 }, () => 'status.key-ignored'));
  });

  test('are replaced by the next write, which is carried out once', async () => {
    await store.writeSource(SOURCE);
    await store.writeUnit(unit('web', {}));
    await store.addRevision(revision(1));
    await store.addReceipt(receipt(1, 'a'));
    await store.addDrift(drift(1));
    await store.allow('abc');
    expect(await store.source()).toEqual(SOURCE);
    expect(await store.units()).toEqual([unit('web', {})]);
    expect(await store.history(5)).toEqual([{ ...revision(1), receipts: [receipt(1, 'a')] }]);
    expect(await store.drift(5)).toEqual([drift(1)]);
    expect(await store.isAllowed('abc')).toBe(true);
    expect((await store.totals()).rows.revision).toEqual({ created: 1, updated: 2, deleted: 3 });
    expect(new Set(events)).toEqual(new Set(['status.key-replaced']));
  });

  test('leave the other keys of a write alone', async () => {
    await raw.del('{ovn-gitops:test}:status:receipts:1', '{ovn-gitops:test}:status:sequences');
    await store.addRevision(revision(1));
    await raw.set('{ovn-gitops:test}:status:totals', 'x');
    await store.addReceipt(receipt(1, 'a'));
    await raw.set('{ovn-gitops:test}:status:totals', 'x');
    await store.addReceipt(receipt(1, 'b'));
    expect(await store.history(5)).toEqual([
      { ...revision(1), receipts: [receipt(1, 'a'), receipt(1, 'b')] },
    ]);
    expect((await store.totals()).rows.revision.created).toBe(1);
  });

  test('of one revision hide only its receipts', async () => {
    await raw.flushall();
    for (const sequence of [1, 2]) await store.addRevision(revision(sequence));
    await store.addReceipt(receipt(2, 'a'));
    await raw.set('{ovn-gitops:test}:status:receipts:1', 'x');
    expect((await store.history(5)).map(({ receipts }) => receipts.length)).toEqual([1, 0]);
  });
});

async function opened(owner: string): Promise<OpenStatusStore> {
  const result = await openStatusStore({
    redis: { url: server.path },
    owner,
    log: (event) => events.push(event),
  });
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function unit(name: string, fields: Partial<UnitStatus>): UnitStatus {
  return {
    unit: `vpc/${name}` as UnitName,
    condition: 'Ready',
    reason: 'Applied',
    message: '',
    sequence: 3,
    commit: 'abc',
    at: 5,
    convergence: { nbCfg: 7, translatedAt: 8, chassis: { caughtUp: 1, total: 2, behind: ['h2'] } },
    ...fields,
  };
}

function revision(sequence: number): {
  sequence: number;
  commit: string;
  subject: string;
  author: string;
  acceptedAt: number;
} {
  return { sequence, commit: `c${sequence}`, subject: 's', author: 'a', acceptedAt: sequence };
}

function receipt(sequence: number, name: string): Receipt {
  return {
    unit: `vpc/${name}` as UnitName,
    sequence,
    commit: `c${sequence}`,
    cause: 'revision',
    created: 1,
    updated: 2,
    deleted: 3,
    nbCfg: 4,
    tookMs: 5,
    at: 6,
  };
}

function drift(seenAt: number): DriftRecord {
  return {
    unit: 'vpc/web' as UnitName,
    changes: ['~ x'],
    outcome: 'corrected',
    seenAt,
    correctedAt: seenAt + 1,
  };
}
