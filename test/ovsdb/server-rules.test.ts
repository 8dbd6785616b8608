import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Database, type Operation, type WireRow, openDatabase } from '../../src/ovsdb/index.ts';
import { type OvsdbServer, startOvsdbServer } from '../support/ovsdb-server.ts';

const SCHEMA_FILE = fileURLToPath(new URL('schemas/kinds.ovsschema', import.meta.url));

let server: OvsdbServer;
let database: Database;

beforeAll(async () => {
  server = await startOvsdbServer({ schemaFile: SCHEMA_FILE });
  database = await openDatabase({ remotes: [server.endpoint], database: 'Kinds' });
});

afterAll(async () => {
  await database.close();
  await server.stop();
});

beforeEach(async () => {
  await database.transact([
    { op: 'delete', table: 'Thing', where: [] },
    { op: 'delete', table: 'Named', where: [] },
  ]);
});

const thing = (row: WireRow): Operation => ({ op: 'insert', table: 'Thing', row });
const named = (name: string, more: Partial<Operation> = {}): Operation =>
  ({ op: 'insert', table: 'Named', row: { name }, ...more }) as Operation;
const absent = (name: string, timeout: number): Operation => ({
  op: 'wait',
  timeout,
  table: 'Named',
  where: [['name', '==', name]],
  columns: ['name'],
  until: '==',
  rows: [],
});

describe('values', () => {
  test.each<[string, WireRow, Record<string, unknown>]>([
    ['a set of one', { texts: ['set', ['a']] }, { texts: ['a'] }],
    ['a bare element', { texts: 'a' }, { texts: ['a'] }],
    [
      'a set that the server sorts',
      { texts: ['set', ['b', 'B', 'ä', 'a']] },
      { texts: ['B', 'a', 'b', 'ä'] },
    ],
    ['an empty optional', { optional_text: ['set', []] }, { optional_text: undefined }],
    ['an empty text in an optional', { optional_text: '' }, { optional_text: '' }],
    [
      'integer keys',
      {
        by_number: [
          'map',
          [
            [10, 'x'],
            [9, 'y'],
          ],
        ],
      },
      {
        by_number: new Map([
          [9, 'y'],
          [10, 'x'],
        ]),
      },
    ],
    [
      'texts that would be the same network, but are other texts',
      { texts: ['set', ['10.1.2.3/8', '10.0.0.0/8']] },
      { texts: ['10.0.0.0/8', '10.1.2.3/8'] },
    ],
    ['an integer of 64 bits', { number: 9223372036854775807n }, { number: 9223372036854775807n }],
    ['a real without fraction', { ratio: 1e3 }, { ratio: 1000 }],
    ['a large real', { ratio: 12345678901234567890n }, { ratio: 1.23456789012346e19 }],
    ['booleans', { flags: ['set', [true, false]] }, { flags: [false, true] }],
  ])('%s comes back as it is meant', async (_, row, expected) => {
    expect(await database.transact([thing(row)])).toMatchObject({ kind: 'committed' });
    expect([...database.rows('Thing').values()]).toMatchObject([expected]);
  });

  test.each<[string, WireRow, string]>([
    ['a duplicate in a set', { texts: ['set', ['a', 'a']] }, 'set contains duplicate'],
    [
      'a duplicate key',
      {
        labels: [
          'map',
          [
            ['a', '1'],
            ['a', '2'],
          ],
        ],
      },
      'duplicate key',
    ],
    ['an empty text that is no member of an enumeration', { choice: '' }, 'not one of the allowed values'],
    ['null', { optional_text: null as unknown as string }, ''],
    ['a boolean in a map of texts', { labels: ['map', [['a', true]]] }, 'expected string'],
    ['an integer of 65 bits', { number: 9223372036854775808n }, 'expected integer'],
  ])('%s is refused', async (_, row, details) => {
    expect(await database.transact([thing(row), named('later')])).toMatchObject({
      kind: 'refused',
      operation: 0,
      details: expect.stringContaining(details),
    });
    expect(database.rows('Thing').size + database.rows('Named').size).toBe(0);
  });

  test('each change of a set, an optional and a map reaches the replica', async () => {
    await database.transact([
      thing({
        numbers: ['set', [1, 2]],
        optional_text: 'a',
        labels: [
          'map',
          [
            ['k', '1'],
            ['l', '2'],
          ],
        ],
        one_label: ['map', [['x', '1']]],
      }),
    ]);
    const [uuid] = database.rows('Thing').keys();
    const change = async (row: WireRow): Promise<unknown> => {
      await database.transact([
        { op: 'update', table: 'Thing', where: [['_uuid', '==', ['uuid', uuid!]]], row },
      ]);
      return database.row('Thing', uuid!);
    };
    expect(await change({ numbers: ['set', [2, 3]] })).toMatchObject({ numbers: [2, 3] });
    expect(await change({ numbers: 2 })).toMatchObject({ numbers: [2] });
    expect(await change({ numbers: ['set', []] })).toMatchObject({ numbers: [] });
    expect(await change({ optional_text: 'b' })).toMatchObject({ optional_text: 'b' });
    expect(await change({ optional_text: ['set', []] })).toMatchObject({ optional_text: undefined });
    expect(await change({ labels: ['map', [['k', '2']]] })).toMatchObject({ labels: new Map([['k', '2']]) });
    expect(await change({ one_label: ['map', [['y', '1']]] })).toMatchObject({
      one_label: new Map([['y', '1']]),
    });
    expect(await change({ one_label: ['map', []] })).toMatchObject({ one_label: new Map() });
  });
});

describe('a guard', () => {
  test('with timeout 0 that does not hold is refused at once, and nothing after it is executed', async () => {
    await database.transact([named('a')]);
    expect(await database.transact([absent('a', 0), named('b')])).toEqual({
      kind: 'refused',
      error: 'timed out',
      details: '"where" clause test failed',
      operation: 0,
      results: [expect.objectContaining({ error: 'timed out' }), null],
    });
    expect(database.rows('Named').size).toBe(1);
  });

  test('with a timeout waits that long', async () => {
    await database.transact([named('a')]);
    expect(await database.transact([absent('a', 30)])).toMatchObject({ kind: 'refused', error: 'timed out' });
  });

  test('needs an integer', async () => {
    expect(await database.transact([absent('a', 1.5)])).toMatchObject({ kind: 'refused', operation: 0 });
  });

  test('after an insert sees the new row', async () => {
    expect(await database.transact([named('a'), absent('a', 0)])).toMatchObject({
      kind: 'refused',
      operation: 1,
    });
  });
});

describe('a transaction', () => {
  test('may refer to a row before it is inserted', async () => {
    const outcome = await database.transact([
      thing({ parts: ['named-uuid', 'p'] }),
      { op: 'insert', table: 'Part', 'uuid-name': 'p', row: {} },
    ]);
    expect(outcome.kind).toBe('committed');
  });

  test.each(['row-1', '1row', ''])('with the row name %j is refused', async (name) => {
    expect(await database.transact([named('a', { 'uuid-name': name })])).toMatchObject({
      kind: 'refused',
      operation: 0,
    });
  });

  test('with the same row name twice is refused', async () => {
    expect(
      await database.transact([named('a', { 'uuid-name': 'x' }), named('b', { 'uuid-name': 'x' })]),
    ).toMatchObject({ kind: 'refused', error: 'duplicate uuid-name', operation: 1 });
  });

  test('that refers to nothing is refused at the commit, not at an operation', async () => {
    expect(
      await database.transact([thing({ parts: ['uuid', '5cf7d8d7-1b5e-4a6c-8a52-0f5f5c2f8f10'] })]),
    ).toMatchObject({
      kind: 'refused',
      error: 'referential integrity violation',
      operation: undefined,
    });
  });

  test('may replace a row of a unique index, but not double it', async () => {
    await database.transact([named('p')]);
    const outcome = await database.transact([
      { op: 'delete', table: 'Named', where: [['name', '==', 'p']] },
      named('p'),
    ]);
    expect(outcome.kind).toBe('committed');
    expect(await database.transact([named('q'), named('q')])).toMatchObject({
      kind: 'refused',
      error: 'constraint violation',
      operation: undefined,
      results: [{ uuid: ['uuid', expect.any(String)] }, { uuid: ['uuid', expect.any(String)] }],
    });
    expect(database.rows('Named').size).toBe(1);
  });

  test('that inserts a non-root row without a reference is committed without it', async () => {
    const outcome = await database.transact([{ op: 'insert', table: 'Part', row: { name: 'lost' } }]);
    expect(outcome.kind).toBe('committed');
    expect(database.rows('Part').size).toBe(0);
  });

  test('that takes the last reference to a row takes the row, in the same update', async () => {
    await database.transact([
      thing({ parts: ['named-uuid', 'p'] }),
      { op: 'insert', table: 'Part', 'uuid-name': 'p', row: { name: 'p' } },
    ]);
    const calls: string[][] = [];
    database.onChange((changes) => {
      calls.push(
        changes.map(({ table, after }) => `${table} ${after === undefined ? 'gone' : 'there'}`).toSorted(),
      );
    });
    await database.transact([{ op: 'update', table: 'Thing', where: [], row: { parts: ['set', []] } }]);
    expect(calls).toEqual([['Part gone', 'Thing there']]);
  });

  test('that breaks a rule at the commit has one result more than operations, which is not given away', async () => {
    const outcome = await database.transact([named('a'), named('a'), { op: 'comment', comment: 'x' }]);
    expect(outcome).toMatchObject({ kind: 'refused', operation: undefined });
    expect(outcome.kind === 'refused' && outcome.results).toHaveLength(3);
  });

  test('that is durable is on the disk when it is committed', async () => {
    const outcome = await database.transact([named('kept')], { durable: true });
    expect(outcome).toMatchObject({ kind: 'committed', results: [{ uuid: ['uuid', expect.any(String)] }] });
    expect(outcome.kind === 'committed' && outcome.results).toHaveLength(1);
    await server.kill9();
    await server.start();
    await database.resynced();
    expect([...database.rows('Named').values()]).toMatchObject([{ name: 'kept' }]);
  });

  test('that is durable and refused blames the operation that failed', async () => {
    expect(
      await database.transact([named('a'), { op: 'abort' }, named('b')], { durable: true }),
    ).toMatchObject({ kind: 'refused', operation: 1, results: [{}, { error: 'aborted' }, null] });
    expect(await database.transact([named('a'), named('a')], { durable: true })).toMatchObject({
      kind: 'refused',
      operation: undefined,
      error: 'constraint violation',
    });
  });

  test('on a database that does not exist is refused as a whole', async () => {
    const outcome = await database.transact([{ op: 'insert', table: 'Nope', row: {} }]);
    expect(outcome).toMatchObject({ kind: 'refused', operation: 0, error: 'syntax error' });
  });

  test('can be followed by others without waiting, and they are answered in order', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 300 }, (_, n) => database.transact([named(`n${n}`)])),
    );
    expect(outcomes.every(({ kind }) => kind === 'committed')).toBe(true);
    expect(database.rows('Named').size).toBe(300);
  });
});
