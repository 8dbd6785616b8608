import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, type DatabaseOptions, type RowChange, openDatabase } from '../../src/ovsdb/index.ts';
import { startMessageProxy } from '../support/message-proxy.ts';
import { type OvsdbCluster, startOvsdbCluster, until } from '../support/ovsdb-server.ts';

const SCHEMA_FILE = fileURLToPath(new URL('schemas/kinds.ovsschema', import.meta.url));

let cluster: OvsdbCluster;
const opened: Database[] = [];

beforeEach(async () => {
  cluster = await startOvsdbCluster({ schemaFile: SCHEMA_FILE, database: 'Kinds' });
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await cluster.stop();
});

async function open(options: Partial<DatabaseOptions> = {}): Promise<Database> {
  const remotes = cluster.members.map((member) => member.endpoint);
  const database = await openDatabase({ remotes, database: 'Kinds', ...options });
  opened.push(database);
  return database;
}

test('a leader-only client finds the leader, and the next one when it dies', async () => {
  const remotes: unknown[] = [];
  const database = await open({
    leaderOnly: true,
    log: (event, { remote }) => event === 'live' && remotes.push(remote),
  });
  const leader = cluster.members[await cluster.leader()]!;
  expect(remotes).toEqual([leader.endpoint]);
  expect(await database.transact([{ op: 'insert', table: 'Named', row: { name: 'a' } }])).toMatchObject({
    kind: 'committed',
  });
  await leader.kill9();
  await until(() => database.state === 'connecting');
  await database.resynced();
  expect(remotes).toHaveLength(2);
  expect(remotes[1]).not.toBe(leader.endpoint);
  expect(await database.transact([{ op: 'insert', table: 'Named', row: { name: 'b' } }])).toMatchObject({
    kind: 'committed',
  });
  expect(new Set([...database.rows('Named').values()].map((row) => row['name']))).toEqual(
    new Set(['a', 'b']),
  );
  await leader.start();
});

test('a leader that gives up its role is left', async () => {
  const database = await open({ leaderOnly: true });
  const leader = await cluster.leader();
  const reasons: unknown[] = [];
  database.onState((state) => reasons.push(state));
  // Stops leading without stopping: the others elect anew while it is isolated in time.
  process.kill(cluster.members[leader]!.pid, 'SIGSTOP');
  await until(async () => (await otherLeader(leader)) !== undefined);
  process.kill(cluster.members[leader]!.pid, 'SIGCONT');
  await until(() => reasons.includes('connecting'));
  await database.resynced();
  expect(await database.transact([{ op: 'insert', table: 'Named', row: { name: 'a' } }])).toMatchObject({
    kind: 'committed',
  });
});

test('after a cut the client asks for what it missed, and gets no more than that', async () => {
  const proxy = await startMessageProxy(cluster.members[await cluster.leader()]!.socketPath);
  const [database, writer] = [await open({ remotes: [proxy.endpoint] }), await open()];
  await writer.transact(
    Array.from({ length: 500 }, (_, n) => ({
      op: 'insert' as const,
      table: 'Thing',
      row: { text: `${n} ${'x'.repeat(100)}` },
    })),
  );
  await writer.transact([
    { op: 'insert', table: 'Named', row: { name: 'a', note: '1' } },
    { op: 'insert', table: 'Named', row: { name: 'b' } },
  ]);
  await until(() => database.rows('Named').size === 2);
  const calls: (readonly RowChange[])[] = [];
  database.onChange((changes) => calls.push(changes));
  let cuts = 0;
  database.onState((state) => {
    if (state === 'connecting') cuts++;
  });
  for (const round of [1, 2]) {
    // Twice in a row: the transaction id of a monitor reply counts as well as that of an update.
    const before = proxy.receivedBytes;
    proxy.cut();
    await until(() => cuts === round);
    if (round === 2) {
      await writer.transact([
        { op: 'update', table: 'Named', where: [['name', '==', 'a']], row: { note: '2' } },
        { op: 'delete', table: 'Named', where: [['name', '==', 'b']] },
      ]);
    }
    await database.resynced();
    expect(proxy.receivedBytes - before).toBeLessThan(20_000);
  }
  await until(() => database.rows('Named').size === 1);
  expect(calls).toHaveLength(1);
  expect([...database.rows('Named').values()]).toMatchObject([{ name: 'a', note: '2' }]);
  expect(database.rows('Thing').size).toBe(500);
  await proxy.stop();
});

test('a member that lost its cluster is not followed', async () => {
  const [first, ...others] = cluster.members;
  const database = await open({ remotes: [first!.endpoint] });
  await Promise.all(others.map((member) => member.kill9()));
  await until(() => database.state === 'connecting');
  await Promise.all(others.map((member) => member.start()));
  await database.resynced();
  expect(database.state).toBe('live');
});

async function otherLeader(stopped: number): Promise<number | undefined> {
  const roles = cluster.members.map((member, at) =>
    at === stopped ? '' : member.appctl('cluster/status', 'Kinds'),
  );
  const found = roles.findIndex((role) => /^Role: leader/m.test(role));
  return found === -1 ? undefined : found;
}
