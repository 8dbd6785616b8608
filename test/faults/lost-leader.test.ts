import { expect, test } from 'vitest';
import { acceptRevision } from '../../src/reconcile/revision-record.ts';
import { reconcileUnit } from '../../src/reconcile/reconcile-unit.ts';
import { startMessageProxy } from '../support/message-proxy.ts';
import { closeWriter, openWriter } from '../support/network-load.ts';
import { commitOf, expectedRows, UNITS, variantOf } from '../support/network-revisions.ts';
import { readTruth } from '../support/network-truth.ts';
import { type OvsdbServer, startOvsdbCluster, startOvsdbServer } from '../support/ovsdb-server.ts';
import { connectRaw, type Json } from '../support/raw-connection.ts';

const SCHEMA_FILE = '/usr/share/ovn/ovn-nb.ovsschema';

test('a leader that commits and dies before it can tell leaves one row of each, whoever leads next', async () => {
  const expected = await expectedRows();
  const cluster = await startOvsdbCluster({ schemaFile: SCHEMA_FILE, database: 'OVN_Northbound' });
  const leader = cluster.members[await cluster.leader()] as OvsdbServer;
  const others = cluster.members.filter((member) => member !== leader);
  const proxy = await startMessageProxy(leader.socketPath);
  const signal = AbortSignal.timeout(120_000);
  let commits = 0;
  const remotes = [proxy.endpoint, ...others.map((member) => member.endpoint)];
  const writer = await openWriter(remotes, () => (commits += 1), signal);
  try {
    const { northbound, parts } = writer;
    const commit = commitOf(1);
    await acceptRevision(northbound, 'test', { sequence: 1, commit }, undefined, signal);
    const killed = new Promise<void>((resolve) => {
      proxy.toClient = (message) => {
        if (!Array.isArray(message['result']) || !JSON.stringify(message).includes('nb_cfg')) return message;
        void leader.kill9().then(resolve);
        proxy.cut();
        return undefined;
      };
    });
    const unit = UNITS.find((each) => each === 'vpc/blue') ?? UNITS[0];
    const job = { unit: unit as (typeof UNITS)[number], cause: 'revision', seenAt: 0 } as const;
    expect(await reconcileUnit(parts, job, signal)).toMatchObject({ kind: 'retry', class: 'transport' });
    await killed;
    await northbound.resynced(signal);
    expect(await reconcileUnit(parts, job, signal)).toEqual({ kind: 'done' });
    expect(commits).toBe(0);
    const raw = await connectRaw((cluster.members[await cluster.leader()] as OvsdbServer).endpoint);
    const truth = await readTruth(raw);
    raw.close();
    expect(truth.doubles).toEqual([]);
    expect(truth.units).toEqual(new Map([['vpc/blue', expected[variantOf(commit)]?.get('vpc/blue')]]));
  } finally {
    await closeWriter(writer);
    await proxy.stop();
    await cluster.stop();
  }
}, 180_000);

test('every guard has a timeout, and comes before what it could see of its own transaction', async () => {
  const server = await startOvsdbServer({ schemaFile: SCHEMA_FILE });
  const proxy = await startMessageProxy(server.socketPath);
  const signal = AbortSignal.timeout(60_000);
  const writer = await openWriter([proxy.endpoint], () => {}, signal);
  try {
    let text: string | undefined;
    for (const [sequence, commit] of [1, 2, 3].map((number) => [number, commitOf(number)] as const)) {
      await acceptRevision(writer.northbound, 'test', { sequence, commit }, text, signal);
      text = `${sequence} ${commit}`;
      for (const unit of UNITS)
        await reconcileUnit(writer.parts, { unit, cause: 'revision', seenAt: 0 }, signal);
    }
    const transactions = proxy.sent
      .filter((message) => message['method'] === 'transact')
      .map((message) => (message['params'] as readonly unknown[]).slice(1) as readonly GuardOrWrite[]);
    const guards = transactions.flatMap((operations) => operations.filter(({ op }) => op === 'wait'));
    expect(guards.length).toBeGreaterThan(10);
    for (const { timeout } of guards) expect(timeout).toBe(0);
    for (const operations of transactions) {
      const firstInsert = operations.findIndex(({ op }) => op === 'insert');
      const lastGuard = operations.findLastIndex(({ op }) => op === 'wait');
      if (firstInsert !== -1) expect(lastGuard).toBeLessThan(firstInsert);
    }
  } finally {
    await closeWriter(writer);
    await proxy.stop();
    await server.stop();
  }
});

interface GuardOrWrite {
  readonly op: string;
  readonly timeout?: unknown;
}

test('a server parks a transaction whose guard has no timeout until it is fulfilled', async () => {
  const server = await startOvsdbServer({ schemaFile: SCHEMA_FILE });
  const [raw, other] = [await connectRaw(server.endpoint), await connectRaw(server.endpoint)];
  try {
    const guard = {
      op: 'wait',
      table: 'Logical_Switch',
      where: [],
      columns: ['name'],
      until: '==',
      rows: [{ name: 'go' }],
    };
    let isAnswered = false;
    const parked = raw.request('transact', ['OVN_Northbound', guard]).then(() => (isAnswered = true));
    await other.request('transact', ['OVN_Northbound', { op: 'comment', comment: 'later' }]);
    await other.request('echo', []);
    expect(isAnswered).toBe(false);
    await other.request('transact', [
      'OVN_Northbound',
      { op: 'insert', table: 'Logical_Switch', row: { name: 'go' } },
    ]);
    await parked;
  } finally {
    raw.close();
    other.close();
    await server.stop();
  }
});

test('a server that stands alone never finds a transaction again: everything is sent anew', async () => {
  const server = await startOvsdbServer({ schemaFile: SCHEMA_FILE });
  const raw = await connectRaw(server.endpoint);
  try {
    const monitor = (id: string, since: string): Promise<Json> =>
      raw.request('monitor_cond_since', ['OVN_Northbound', id, { Logical_Switch: [{}] }, since]);
    const zero = '00000000-0000-0000-0000-000000000000';
    expect(await monitor('a', zero)).toEqual([false, zero, {}]);
    await raw.request('transact', [
      'OVN_Northbound',
      { op: 'insert', table: 'Logical_Switch', row: { name: 'a' } },
    ]);
    expect(await monitor('b', zero)).toMatchObject([false, zero, { Logical_Switch: expect.anything() }]);
  } finally {
    raw.close();
    await server.stop();
  }
});
