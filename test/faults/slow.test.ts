import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/ovsdb/index.ts';
import { type ByteProxy, startByteProxy } from '../support/byte-proxy.ts';
import { type OvsdbServer, startOvsdbServer, until } from '../support/ovsdb-server.ts';
import { connectRaw, type RawConnection } from '../support/raw-connection.ts';
import { differences, rawRowTexts, replicaRowTexts } from '../support/wire-text.ts';

let server: OvsdbServer;
let proxy: ByteProxy;
let raw: RawConnection;
const opened: Database[] = [];

beforeEach(async () => {
  server = await startOvsdbServer({ schemaFile: '/usr/share/ovn/ovn-nb.ovsschema' });
  proxy = await startByteProxy(server.socketPath);
  raw = await connectRaw(server.endpoint);
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  raw?.close();
  await proxy?.stop();
  await server?.stop();
});

async function open(log: string[] = []): Promise<Database> {
  const database = await openDatabase({
    remotes: [proxy.endpoint],
    database: 'OVN_Northbound',
    probeIntervalMs: 500,
    log: (event, { reason }) => log.push(`${event} ${String(reason)}`),
  });
  opened.push(database);
  return database;
}

async function faults(database: Database): Promise<readonly string[]> {
  const tables = await raw.select('OVN_Northbound', [...database.schema.tables.keys()]);
  return differences(replicaRowTexts(database), rawRowTexts(tables));
}

/** One change of some 200 kB; the rows are new ones each time. */
async function largeChange(round: number): Promise<void> {
  const text = `${round} ${'x'.repeat(20_000)}`;
  const row = { name: 'large', external_ids: ['map', [['text', text]]] };
  await raw.request('transact', [
    'OVN_Northbound',
    { op: 'delete', table: 'Logical_Switch', where: [] },
    ...Array.from({ length: 10 }, () => ({ op: 'insert', table: 'Logical_Switch', row })),
  ]);
}

test('a client that does not read for a while sees in the end what it missed', async () => {
  const log: string[] = [];
  const database = await open(log);
  // What our client doesn't take in fills the pipes, and the server waits with the rest.
  proxy.hold('toClient');
  for (let round = 0; round < 40; round += 1) await largeChange(round);
  proxy.flow();
  await until(() => [...database.rows('Logical_Switch').values()].some(isOfRound(39)));
  await database.resynced();
  expect(await faults(database)).toEqual([]);
});

test('a client whose event loop stands still sees in the end what it missed, on the same connection', async () => {
  const log: string[] = [];
  const database = await open(log);
  const writing = (async () => {
    for (let round = 0; round < 40; round += 1) await largeChange(round);
  })();
  for (let stalls = 0; stalls < 4; stalls += 1) {
    await sleep(20);
    // Longer than the silence after which a server would be taken for dead.
    const end = performance.now() + 1200;
    while (performance.now() < end);
  }
  await writing;
  await database.resynced();
  expect(await faults(database)).toEqual([]);
  expect(log.filter((line) => line.startsWith('disconnected'))).toEqual([]);
});

test('a link that carries little is not taken for a dead one, in neither direction', async () => {
  for (let round = 0; round < 3; round += 1) await largeChange(round);
  proxy.pieceBytes = 100;
  const log: string[] = [];
  const database = await open(log);
  const row = { name: 'mine', external_ids: ['map', [['text', 'y'.repeat(200_000)]]] as const };
  expect(await database.transact([{ op: 'insert', table: 'Logical_Switch', row }])).toMatchObject({
    kind: 'committed',
  });
  await database.resynced();
  expect(await faults(database)).toEqual([]);
  expect(log).toEqual(['live undefined']);
});

test('a server that does not read makes a transaction wait, and not the memory grow', async () => {
  const database = await open();
  proxy.hold('toServer');
  const row = { name: 'waits', external_ids: ['map', [['text', 'z'.repeat(500_000)]]] as const };
  const transactions = Array.from({ length: 20 }, () =>
    database.transact([{ op: 'insert', table: 'Logical_Switch', row }]),
  );
  await sleep(200);
  proxy.flow();
  const kinds = (await Promise.all(transactions)).map(({ kind }) => kind);
  await database.resynced();
  const names = [...database.rows('Logical_Switch').values()].filter((each) => each['name'] === 'waits');
  expect(names.length).toBeGreaterThanOrEqual(kinds.filter((kind) => kind === 'committed').length);
  expect(names.length).toBeLessThanOrEqual(kinds.filter((kind) => kind !== 'unsent').length);
  expect(await faults(database)).toEqual([]);
});

test('a transaction of 100 MB is committed, and its update and the first copy after it are taken in', async () => {
  const reader = await open();
  const writer = await openDatabase({
    remotes: [server.endpoint],
    database: 'OVN_Northbound',
    tables: { Address_Set: ['name', 'addresses'] },
  });
  opened.push(writer);
  const outcome = await writer.transact(
    Array.from({ length: 100 }, (_, at) => ({
      op: 'insert' as const,
      table: 'Address_Set',
      row: { name: `a${at}`, addresses: megabyte(at) },
    })),
  );
  expect(outcome.kind).toBe('committed');
  const wanted = Array.from({ length: 100 }, (_, at) => `a${at} ${1 << 20} ${at % 10}`).toSorted();
  await until(() => reader.rows('Address_Set').size === 100);
  const late = await open();
  for (const database of [writer, reader, late]) expect(texts(database)).toEqual(wanted);
}, 180_000);

const texts = (database: Database): readonly string[] =>
  [...database.rows('Address_Set').values()]
    .map((each) => {
      const [text = ''] = each['addresses'] as readonly string[];
      return `${each['name'] as string} ${text.length} ${text === megabyte(Number(text[0])) ? text[0] : 'wrong'}`;
    })
    .toSorted();

const megabyte = (at: number): string => String(at % 10).repeat(1 << 20);

const isOfRound = (round: number) => (row: Readonly<Record<string, unknown>>) => {
  const ids = row['external_ids'];
  return ids instanceof Map && String(ids.get('text')).startsWith(`${round} `);
};
