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

test('a stolen lock is lost at once, and comes back when the thief lets go', async () => {
  const first = await a.lock('writer');
  const owned: boolean[] = [];
  first.onChange((isOwned) => owned.push(isOwned));
  const thief = await b.lock('writer', { steal: true });
  expect(thief.owned).toBe(true);
  await a.resynced();
  expect(first.owned).toBe(false);
  expect(await a.transact(FENCED)).toMatchObject({ kind: 'refused', error: 'not owner' });
  expect(await b.transact(FENCED)).toMatchObject({ kind: 'committed' });
  await thief.release();
  await first.whenOwned();
  expect(owned).toEqual([false, true]);
  expect(await a.transact(FENCED)).toMatchObject({ kind: 'committed' });
});

test('a lock that nobody has can be stolen as well', async () => {
  expect((await a.lock('writer', { steal: true })).owned).toBe(true);
});

test('locks are given in the order of the queue', async () => {
  const third = await openDatabase({ remotes: [server.endpoint], database: 'Kinds', tables: {} });
  const locks = [await a.lock('writer'), await b.lock('writer'), await third.lock('writer')] as const;
  await locks[0].release();
  await locks[1].whenOwned();
  expect(locks.map(({ owned }) => owned)).toEqual([false, true, false]);
  // Whoever leaves the queue is not asked.
  await b.close();
  await locks[2].whenOwned();
  await third.close();
});

test('after a reconnect a stolen lock is waited for, not stolen back', async () => {
  const thief = await a.lock('writer', { steal: true });
  const other = await b.lock('writer');
  const states: boolean[] = [];
  thief.onChange((isOwned) => states.push(isOwned));
  await server.restart();
  await Promise.all([a.resynced(), b.resynced()]);
  await Promise.race([thief.whenOwned(), other.whenOwned()]);
  await Promise.all([a.resynced(), b.resynced()]);
  expect([thief.owned, other.owned].filter(Boolean)).toHaveLength(1);
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
