import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Database,
  type Row,
  type Uuid,
  TransactionBuilder,
  openDatabase,
} from '../../src/ovsdb/index.ts';
import { type MessageProxy, startMessageProxy } from '../support/message-proxy.ts';
import { type OvsdbServer, startOvsdbServer } from '../support/ovsdb-server.ts';

const SCHEMA_FILE = fileURLToPath(new URL('schemas/kinds.ovsschema', import.meta.url));
const SHOP = '5cf7d8d7-1b5e-4a6c-8a52-0f5f5c2f8f10' as Uuid;

let server: OvsdbServer;
let proxy: MessageProxy;
let database: Database;

beforeEach(async () => {
  server = await startOvsdbServer({ schemaFile: SCHEMA_FILE });
  proxy = await startMessageProxy(server.socketPath);
  database = await openDatabase({ remotes: [proxy.endpoint], database: 'Kinds' });
});

afterEach(async () => {
  await database.close();
  await proxy.stop();
  await server.stop();
});

const begin = (): TransactionBuilder => new TransactionBuilder(database.schema);
const rows = (table: string): readonly Row[] => [...database.rows(table).values()];

function insertShop(): TransactionBuilder {
  const change = begin();
  change.insert('Named', { name: 'shop' });
  return change.guardAbsent('Named', [['name', '==', 'shop']]).guardAbsent('Named', [['name', '==', 'shop']]);
}

/** Refuses uuids in inserts as servers before Open vSwitch 2.13 do. */
function knowNoClientUuids(): void {
  proxy.toServer = (message, reply) => {
    const [, ...operations] = message['params'] as readonly Record<string, unknown>[];
    const at = operations.findIndex(({ op, uuid }) => op === 'insert' && uuid !== undefined);
    if (message['method'] !== 'transact' || at === -1) return message;
    const failure = { error: 'syntax error', details: "Member 'uuid' is present but not allowed here." };
    const results = operations.map((_, n) => (n < at ? {} : n === at ? failure : null));
    reply({ id: message['id'], result: results, error: null });
    return undefined;
  };
}

describe.each([
  ['a server that lets clients choose uuids', () => {}],
  ['a server that does not', knowNoClientUuids],
])('on %s', (_, prepare) => {
  beforeEach(() => {
    prepare();
  });

  test('new rows refer to each other in every kind of column, also before they are inserted', async () => {
    const change = begin();
    const friend = change.insert('Thing', { text: 'friend' });
    const [one, two] = [SHOP, '9d4a8c0e-6a34-4f8e-9a55-2a4f1f0f7a11' as Uuid];
    const thing = change.insert('Thing', {
      text: 'thing',
      parts: [one, two],
      queues: new Map([[0, one]]),
      friends: [friend],
      best_friend: friend,
      // Looks like a reference, but is a text.
      labels: new Map([['uuid', one]]),
    });
    change.insert('Part', { name: 'one', next: two }, one);
    change.insert('Part', { name: 'two' }, two);
    const step = change.update('Thing', friend, { best_friend: thing });
    const outcome = await change.commit(database);
    if (outcome.kind !== 'committed') throw new Error(JSON.stringify(outcome));
    const uuidOf = Object.fromEntries(
      [...rows('Thing'), ...rows('Part')].map((row) => [row['text'] ?? row['name'], row._uuid]),
    );
    expect({
      thing: outcome.uuid(thing),
      friend: outcome.uuid(friend),
      one: outcome.uuid(one),
      two: outcome.uuid(two),
    }).toEqual(uuidOf);
    expect(outcome.count(step)).toBe(1);
    expect(database.row('Thing', uuidOf['thing'])).toMatchObject({
      parts: expect.arrayContaining([uuidOf['one'], uuidOf['two']]),
      queues: new Map([[0, uuidOf['one']]]),
      friends: [uuidOf['friend']],
      best_friend: uuidOf['friend'],
      labels: new Map([['uuid', one]]),
    });
    expect(database.row('Part', uuidOf['one'])).toMatchObject({ next: uuidOf['two'] });
    expect(database.row('Thing', uuidOf['friend'])).toMatchObject({ best_friend: uuidOf['thing'] });
  });

  test('two new rows of one name are two rows; names of rows never come from outside', async () => {
    const change = begin();
    for (let n = 0; n < 3; n++) change.insert('Thing', { text: 'row-1; "}' });
    expect((await change.commit(database)).kind).toBe('committed');
    expect(rows('Thing')).toHaveLength(3);
  });

  test('guards hold before the changes, whatever the order of the calls', async () => {
    expect((await insertShop().commit(database)).kind).toBe('committed');
    expect(await insertShop().commit(database)).toMatchObject({
      kind: 'outdated',
      guard: { op: 'wait', timeout: 0, table: 'Named', rows: [] },
    });
    expect(rows('Named')).toHaveLength(1);
  });
});

describe('changes', () => {
  let thing: Uuid;

  beforeEach(async () => {
    const change = begin();
    thing = change.insert('Thing', {
      text: 'a',
      number: 9007199254740993n,
      numbers: [1, 2],
      labels: new Map([
        ['k', '1'],
        ['l', '2'],
        ['m', '3'],
      ]),
    });
    expect((await change.commit(database)).kind).toBe('committed');
  });

  test('of members and numbers are sent as such', async () => {
    const change = begin();
    const step = change.mutate('Thing', thing, [
      ['numbers', 'insert', [3, 4]],
      ['numbers', 'delete', 1],
      ['optional_text', 'insert', 'now'],
      ['labels', 'insert', new Map([['n', '4']])],
      ['labels', 'delete', ['k']],
      ['labels', 'delete', new Map([['l', 'another']])],
      ['number', '+=', 2],
      ['ratio', '+=', 0.5],
    ]);
    const outcome = await change.commit(database);
    if (outcome.kind !== 'committed') throw new Error(JSON.stringify(outcome));
    expect(outcome.count(step)).toBe(1);
    expect(database.row('Thing', thing)).toMatchObject({
      number: 9007199254740995n,
      numbers: [2, 3, 4],
      optional_text: 'now',
      ratio: 0.5,
      labels: new Map([
        ['l', '2'],
        ['m', '3'],
        ['n', '4'],
      ]),
    });
  });

  test('can be read in the same transaction', async () => {
    const change = begin();
    change.update('Thing', thing, { optional_text: 'x' });
    const after = change.select(
      'Thing',
      [['_uuid', '==', thing]],
      ['_uuid', 'optional_text', 'number', 'labels'],
    );
    const nothing = change.select('Named', []);
    const gone = change.delete('Thing', thing);
    const outcome = await change.commit(database);
    if (outcome.kind !== 'committed') throw new Error(JSON.stringify(outcome));
    expect(outcome.rows(after)).toMatchObject([
      {
        _uuid: thing,
        optional_text: 'x',
        number: 9007199254740993n,
        labels: new Map([
          ['k', '1'],
          ['l', '2'],
          ['m', '3'],
        ]),
      },
    ]);
    expect(outcome.rows(nothing)).toEqual([]);
    expect(outcome.count(gone)).toBe(1);
    expect(() => outcome.rows(gone)).toThrow('not a select');
    expect(rows('Thing')).toEqual([]);
  });

  test('are guarded by what a row holds', async () => {
    const change = (number: number): TransactionBuilder => {
      const builder = begin().guardRow('Thing', thing, { text: 'a', numbers: [2, 1] });
      builder.update('Thing', thing, { numbers: [number] });
      return builder;
    };
    expect((await change(7).commit(database)).kind).toBe('committed');
    expect(await change(8).commit(database)).toMatchObject({ kind: 'outdated' });
    expect(database.row('Thing', thing)).toMatchObject({ numbers: [7] });
    const absent = begin().guardRow('Thing', SHOP);
    expect(await absent.commit(database)).toMatchObject({ kind: 'outdated' });
  });

  test('wait for a guard with a timeout, and only in whole milliseconds', async () => {
    const other = await openDatabase({ remotes: [server.endpoint], database: 'Kinds', tables: {} });
    const change = begin().guard('Named', [['name', '==', 'go']], ['name'], [{ name: 'go' }], {
      timeoutMs: 60_000,
    });
    change.delete('Thing', thing);
    const waiting = change.commit(database);
    await other.transact([{ op: 'insert', table: 'Named', row: { name: 'go' } }]);
    expect((await waiting).kind).toBe('committed');
    for (const timeoutMs of [1.5, -1, NaN]) {
      expect(() => begin().guard('Named', [], ['name'], [], { timeoutMs })).toThrow('whole milliseconds');
    }
    await other.close();
  });

  test('need the lock that they assert', async () => {
    const change = begin();
    change.insert('Named', { name: 'a' });
    change
      .guardAbsent('Named', [['name', '==', 'a']])
      .comment('by the test')
      .assertLock('writer');
    expect(change.operations(true).map(({ op }) => op)).toEqual(['assert', 'wait', 'insert', 'comment']);
    expect(await change.commit(database)).toEqual({ kind: 'not-owner', lock: 'writer' });
    await database.lock('writer');
    expect((await change.commit(database, { durable: true })).kind).toBe('committed');
  });

  test('that do not fit the schema are the mistake of the program', () => {
    expect(() => begin().insert('Nope', {})).toThrow('no table Nope');
    expect(() => begin().insert('Named', { nope: 1 })).toThrow('no column nope');
    expect(() => begin().insert('Named', { name: 1 })).toThrow('name needs a string');
    expect(() => begin().mutate('Thing', thing, [['labels', 'insert', ['k']]])).toThrow('labels needs a map');
  });

  test('that only the commit refuses are refused as a whole', async () => {
    const change = begin();
    change.insert('Named', { name: 'a' });
    change.insert('Named', { name: 'a' });
    expect(await change.commit(database)).toMatchObject({
      kind: 'refused',
      error: 'constraint violation',
      operation: undefined,
    });
  });
});

test('a lost reply: the repeat with a derived uuid is refused, and there is one row', async () => {
  const change = begin();
  change.insert('Thing', { text: 'shop' }, SHOP);
  // The question whether uuids may be chosen is asked before the reply is lost.
  expect((await begin().guardRow('Thing', SHOP).commit(database)).kind).toBe('outdated');
  proxy.toClient = (message) => {
    const [first] = Array.isArray(message['result']) ? (message['result'] as readonly unknown[]) : [];
    if (JSON.stringify(first ?? null) !== JSON.stringify({ uuid: ['uuid', SHOP] })) return message;
    proxy.toClient = (other) => other;
    proxy.cut();
    return undefined;
  };
  expect(await change.commit(database)).toMatchObject({ kind: 'unknown' });
  await database.resynced();
  expect(database.row('Thing', SHOP)).toMatchObject({ text: 'shop' });
  expect(await change.commit(database)).toMatchObject({ kind: 'refused', error: 'duplicate uuid' });
  expect(rows('Thing')).toHaveLength(1);
});

test('while nothing is connected nothing is sent, and the server is not taken for an old one', async () => {
  proxy.toServer = (message) => {
    if (message['method'] === 'transact') proxy.cut();
    return message['method'] === 'transact' ? undefined : message;
  };
  const change = begin();
  change.insert('Thing', { text: 'a' }, SHOP);
  expect(await change.commit(database)).toMatchObject({ kind: 'unsent' });
  proxy.toServer = (message) => message;
  await database.resynced();
  expect((await change.commit(database)).kind).toBe('committed');
  expect(database.row('Thing', SHOP)).toMatchObject({ text: 'a' });
});
