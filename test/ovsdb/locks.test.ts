import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, type Operation, openDatabase } from '../../src/ovsdb/index.ts';
import { type OvsdbServer, startOvsdbServer } from '../support/ovsdb-server.ts';

const SCHEMA_FILE = fileURLToPath(new URL('schemas/kinds.ovsschema', import.meta.url));
const FENCED: readonly Operation[] = [
  { op: 'assert', lock: 'writer' },
  { op: 'insert', table: 'Thing', row: {} },
];

let server: OvsdbServer;
let a: Database;
let b: Database;

beforeEach(async () => {
  server = await startOvsdbServer({ schemaFile: SCHEMA_FILE });
  const options = { remotes: [server.endpoint], database: 'Kinds' };
  [a, b] = await Promise.all([openDatabase(options), openDatabase(options)]);
});

afterEach(async () => {
  await Promise.all([a.close(), b.close()]);
  await server.stop();
});

test('one client has a lock at a time, and only that one passes an assert', async () => {
  const first = await a.lock('writer');
  const second = await b.lock('writer');
  expect([first.owned, second.owned]).toEqual([true, false]);
  expect(await a.transact(FENCED)).toMatchObject({ kind: 'committed' });
  expect(await b.transact(FENCED)).toMatchObject({ kind: 'refused', error: 'not owner', operation: 0 });
  const owned: boolean[] = [];
  second.onChange((isOwned) => owned.push(isOwned));
  await first.release();
  await second.whenOwned();
  expect(owned).toEqual([true]);
  expect(await a.transact(FENCED)).toMatchObject({ kind: 'refused', error: 'not owner' });
  expect(await b.transact(FENCED)).toMatchObject({ kind: 'committed' });
});

test('a lock goes to the next client when its owner goes', async () => {
  await a.lock('writer');
  const second = await b.lock('writer');
  await a.close();
  await second.whenOwned();
  expect(second.owned).toBe(true);
});

test('a lock is lost with the connection and asked for again', async () => {
  const lock = await a.lock('writer');
  const owned: boolean[] = [];
  lock.onChange((isOwned) => owned.push(isOwned));
  await server.restart();
  await a.resynced();
  await lock.whenOwned();
  expect(owned).toEqual([false, true]);
  expect(await a.transact(FENCED)).toMatchObject({ kind: 'committed' });
});

test('a lock that was released can be taken again', async () => {
  const lock = await a.lock('writer');
  await expect(a.lock('writer')).rejects.toMatchObject({ code: 'lock-in-use' });
  await lock.release();
  await lock.release();
  await expect(lock.whenOwned()).rejects.toMatchObject({ code: 'closed' });
  expect((await a.lock('writer')).owned).toBe(true);
});

test('waiting for a lock can be aborted', async () => {
  await a.lock('writer');
  const second = await b.lock('writer');
  const abort = new AbortController();
  const waiting = second.whenOwned(abort.signal);
  abort.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
});

test('a name that is no lock name is refused', async () => {
  await expect(a.lock('no-lock')).rejects.toMatchObject({ code: 'bad-lock' });
});
