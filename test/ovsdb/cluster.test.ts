import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Database,
  type DatabaseOptions,
  type RowChange,
  type WantedTables,
  openDatabase,
} from '../../src/ovsdb/index.ts';
import { type ProxiedMessage, startMessageProxy } from '../support/message-proxy.ts';
import { type OvsdbCluster, startOvsdbCluster, until } from '../support/ovsdb-server.ts';
import { EFFORT } from '../support/seed.ts';

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

test('a leader that hands over is left for another member, and nobody runs back to it', async () => {
  const remotes: unknown[] = [];
  const database = await open({
    leaderOnly: true,
    log: (event, { remote }) => remotes.push(event === 'live' ? remote : [remote]),
  });
  await database.transact([{ op: 'insert', table: 'Named', row: { name: 'a' } }]);
  for (let n = 0; n < 2; n++) {
    remotes.length = 0;
    const before = cluster.members[await cluster.leader()]!;
    before.appctl('cluster/failure-test', 'transfer-leadership');
    await until(() => remotes.length > 0);
    await database.resynced();
    expect(remotes[0]).toEqual([before.endpoint]);
    const next = remotes.slice(1).flat();
    const again = next.indexOf(before.endpoint);
    // The others came first; that they lead nothing either is only known when they were asked.
    if (again !== -1) expect(new Set(next.slice(0, again)).size).toBe(2);
    expect(await database.transact([{ op: 'insert', table: 'Named', row: { name: `b${n}` } }])).toMatchObject(
      {
        kind: 'committed',
      },
    );
  }
  expect(database.rows('Named').size).toBe(3);
});

test('a member that leaves the cluster is left', async () => {
  const follower = cluster.members[((await cluster.leader()) + 1) % 3]!;
  const remotes: unknown[] = [];
  const database = await open({
    random: () => 0,
    // Chance puts the middle one first.
    remotes: [cluster.members[0]!.endpoint, follower.endpoint],
    log: (event, { remote }) => event === 'live' && remotes.push(remote),
  });
  const writer = await open({ leaderOnly: true, tables: {} });
  const states: string[] = [];
  database.onState((state) => states.push(state));
  const left = cluster.members.find(({ endpoint }) => endpoint === remotes[0])!;
  left.appctl('cluster/leave', 'Kinds');
  await until(() => states.includes('connecting'));
  await database.resynced();
  expect(remotes.at(-1)).not.toBe(left.endpoint);
  const outcome = await writer.transact([{ op: 'insert', table: 'Named', row: { name: 'a' } }]);
  if (outcome.kind !== 'committed') await writer.resynced();
  if (outcome.kind === 'committed') await until(() => database.rows('Named').size === 1);
});

test('while every member says that it does not lead, the client waits, and shows no drift', async () => {
  const proxies = await Promise.all(cluster.members.map(({ socketPath }) => startMessageProxy(socketPath)));
  const reasons: unknown[] = [];
  const database = await open({
    remotes: proxies.map(({ endpoint }) => endpoint),
    leaderOnly: true,
    random: () => 0.9,
    log: (event, { reason }) => event === 'disconnected' && reasons.push(reason),
  });
  const writer = await open({ leaderOnly: true });
  await writer.transact([{ op: 'insert', table: 'Named', row: { name: 'a', note: '1' } }]);
  await until(() => database.rows('Named').size === 1);
  const calls: (readonly RowChange[])[] = [];
  database.onChange((changes) => calls.push(changes));
  for (const proxy of proxies) {
    proxy.toClient = (message) => noLeader(message);
    proxy.cut();
  }
  await until(() => reasons.length > 0);
  await writer.transact([{ op: 'update', table: 'Named', where: [], row: { note: '2' } }]);
  const end = performance.now() + 2000 * Math.min(EFFORT, 10);
  while (performance.now() < end) {
    expect(database.state).toBe('connecting');
    expect(await database.transact([{ op: 'comment', comment: 'x' }])).toMatchObject({ kind: 'unsent' });
    await sleep(20);
  }
  expect(database.trouble).toBe('the server is not the leader');
  expect([...database.rows('Named').values()]).toMatchObject([{ note: '1' }]);
  expect(calls).toEqual([]);
  // It backs off: each member a few times at once, then with pauses.
  expect(reasons.length).toBeLessThan(60);
  for (const proxy of proxies) proxy.toClient = (message) => message;
  await database.resynced();
  expect([...database.rows('Named').values()]).toMatchObject([{ note: '2' }]);
  expect(calls).toHaveLength(1);
  await Promise.all(proxies.map((proxy) => proxy.stop()));
});

test('a member that is behind what was seen is not followed', async () => {
  const [behind, current] = await Promise.all(
    cluster.members.slice(0, 2).map(({ socketPath }) => startMessageProxy(socketPath)),
  );
  const reasons: unknown[] = [];
  const database = await open({
    remotes: [behind!.endpoint, current!.endpoint],
    log: (event, { reason }) => event === 'disconnected' && reasons.push(reason),
  });
  const writer = await open({ leaderOnly: true });
  await writer.transact([{ op: 'insert', table: 'Named', row: { name: 'a' } }]);
  await until(() => database.rows('Named').size === 1);
  behind!.toClient = (message) => withIndex(message, 1);
  for (const proxy of [behind!, current!]) proxy.cut();
  await until(() => reasons.length > 0);
  await database.resynced();
  // Cut until chance and turn lead to the one that is behind.
  while (!reasons.includes('the server is behind what was seen before')) {
    const { length } = reasons;
    current!.cut();
    await until(() => reasons.length > length);
    await database.resynced();
  }
  expect(database.rows('Named').size).toBe(1);
  await Promise.all([behind!.stop(), current!.stop()]);
});

test('a server that stopped to answer is left for another one', async () => {
  const remotes: unknown[] = [];
  const reasons: unknown[] = [];
  await open({
    probeIntervalMs: 250,
    log: (event, { remote, reason }) => (event === 'live' ? remotes.push(remote) : reasons.push(reason)),
  });
  const stopped = cluster.members.find(({ endpoint }) => endpoint === remotes[0])!;
  process.kill(stopped.pid, 'SIGSTOP');
  await until(() => reasons.length > 0);
  expect(reasons[0]).toBe('the server is silent');
  await until(() => remotes.length > 1);
  expect(remotes[1]).not.toBe(stopped.endpoint);
  process.kill(stopped.pid, 'SIGCONT');
});

test('a first copy takes as long as the server is busy with it', async () => {
  const [member] = cluster.members;
  const proxy = await startMessageProxy(member!.socketPath);
  const connections = (): number =>
    proxy.sent.filter(({ method }) => method === 'set_db_change_aware').length;
  let isStopped = false;
  proxy.toServer = (message) => {
    if (String(message['method']).startsWith('monitor_cond')) {
      isStopped = true;
      process.kill(member!.pid, 'SIGSTOP');
    }
    return message;
  };
  const opening = open({ remotes: [proxy.endpoint], probeIntervalMs: 50 });
  await until(() => isStopped);
  // Twenty times what a silence may last otherwise.
  await sleep(2000);
  proxy.toServer = (message) => message;
  process.kill(member!.pid, 'SIGCONT');
  const database = await opening;
  expect(database.state).toBe('live');
  expect(connections()).toBe(1);
  await database.close();
  await proxy.stop();
});

test('conditions that changed are caught up with after a cut, like anything else', async () => {
  const proxy = await startMessageProxy(cluster.members[await cluster.leader()]!.socketPath);
  const database = await open({ remotes: [proxy.endpoint], tables: noted('x') });
  const writer = await open();
  await writer.transact(
    Array.from({ length: 500 }, (_, n) => ({
      op: 'insert' as const,
      table: 'Named',
      row: { name: `${n} ${'n'.repeat(100)}`, note: n % 2 === 0 ? 'x' : 'y' },
    })),
  );
  await until(() => database.rows('Named').size === 250);
  await database.want(noted('y'));
  const cutAndCount = async (): Promise<number> => {
    const before = proxy.receivedBytes;
    let cuts = 0;
    const stop = database.onState((state) => cuts++ + Number(state === 'connecting'));
    proxy.cut();
    await until(() => cuts > 0);
    stop();
    await database.resynced();
    return proxy.receivedBytes - before;
  };
  await cutAndCount();
  await writer.transact([
    { op: 'update', table: 'Named', where: [['name', '==', `0 ${'n'.repeat(100)}`]], row: { note: 'y' } },
    { op: 'update', table: 'Named', where: [['name', '==', `1 ${'n'.repeat(100)}`]], row: { note: 'x' } },
  ]);
  await until(() => names(database).has(`0 ${'n'.repeat(100)}`));
  expect(await cutAndCount()).toBeLessThan(20_000);
  expect(database.rows('Named').size).toBe(250);
  expect([...database.rows('Named').values()].every((row) => row['note'] === 'y')).toBe(true);
  await proxy.stop();
});

function noted(note: string): WantedTables {
  return { Named: { whereAny: [['note', '==', note]] } };
}

function names(database: Database): ReadonlySet<unknown> {
  return new Set([...database.rows('Named').values()].map((row) => row['name']));
}

/** What a member says of itself in `_Server`, changed. */
function edited(
  message: ProxiedMessage,
  edit: (row: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): ProxiedMessage {
  const params = message['params'] as readonly unknown[] | undefined;
  const updates = (message['result'] ?? params?.[1]) as Readonly<Record<string, unknown>> | undefined;
  const rows = updates?.['Database'];
  if (rows === undefined || message['id'] === undefined) return message;
  const changed = {
    Database: Object.fromEntries(
      Object.entries(
        rows as Readonly<Record<string, { readonly new?: Readonly<Record<string, unknown>> }>>,
      ).map(([uuid, update]) => [
        uuid,
        update.new === undefined ? update : { ...update, new: edit(update.new) },
      ]),
    ),
  };
  return params === undefined
    ? { ...message, result: changed }
    : { ...message, params: [params[0], changed] };
}

function noLeader(message: ProxiedMessage): ProxiedMessage {
  return edited(message, (row) => ('leader' in row ? { ...row, leader: false } : row));
}

function withIndex(message: ProxiedMessage, index: number): ProxiedMessage {
  return edited(message, (row) => ('index' in row ? { ...row, index } : row));
}

async function otherLeader(stopped: number): Promise<number | undefined> {
  const roles = cluster.members.map((member, at) =>
    at === stopped ? '' : member.appctl('cluster/status', 'Kinds'),
  );
  const found = roles.findIndex((role) => /^Role: leader/m.test(role));
  return found === -1 ? undefined : found;
}
