import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  type ColumnSchema,
  type TableSchema,
  type Value,
  type WireValue,
  decodeValue,
  encodeRow,
  encodeValue,
  equalValues,
  parseSchema,
} from '../../src/ovsdb/index.ts';

const SCHEMA_FILE = new URL('schemas/kinds.ovsschema', import.meta.url);
const UUID = '5cf7d8d7-1b5e-4a6c-8a52-0f5f5c2f8f10';
const OTHER = '6cf7d8d7-1b5e-4a6c-8a52-0f5f5c2f8f10';

describe('a value', () => {
  test.each<[string, WireValue, Value]>([
    ['text', 'x', 'x'],
    ['texts', '10.0.0.1', ['10.0.0.1']],
    ['texts', ['set', ['b', 'a', 'b']], ['a', 'b']],
    ['texts', ['set', []], []],
    ['optional_text', ['set', []], undefined],
    ['optional_text', ['set', ['']], ''],
    ['optional_text', '', ''],
    ['numbers', ['set', [10, 9, 9007199254740993n]], [9, 10, 9007199254740993n]],
    ['ratio', 9007199254740993n, 9007199254740992],
    ['flags', ['set', [true, false]], [false, true]],
    ['parts', ['uuid', UUID], [UUID]],
    [
      'parts',
      [
        'set',
        [
          ['uuid', OTHER],
          ['uuid', UUID],
        ],
      ],
      [UUID, OTHER],
    ],
    ['best_friend', ['uuid', UUID], UUID],
    ['labels', ['map', [['a', '1']]], new Map([['a', '1']])],
    ['queues', ['map', [[0, ['uuid', UUID]]]], new Map([[0, UUID]])],
  ])('of %s is read (%#)', (name, wire, value) => {
    expect(decodeValue(column(name), wire)).toStrictEqual(value);
  });

  test.each<[string, Value, WireValue]>([
    ['texts', ['a'], ['set', ['a']]],
    ['texts', ['b', 'a', 'b'], ['set', ['a', 'b']]],
    ['optional_text', undefined, ['set', []]],
    ['optional_text', '', ''],
    ['parts', [UUID], ['set', [['uuid', UUID]]]],
    ['number', 9007199254740993n, 9007199254740993n],
    ['queues', new Map([[0, UUID]]), ['map', [[0, ['uuid', UUID]]]]],
  ])('of %s is written (%#)', (name, value, wire) => {
    expect(encodeValue(column(name), value)).toStrictEqual(wire);
  });

  test.each<[string, unknown]>([
    ['text', null],
    ['text', 1],
    ['number', 1.5],
    ['number', '1'],
    ['flag', 0],
    ['optional_text', ['set', ['a', 'b']]],
    ['text', ['set', []]],
    ['labels', ['set', []]],
    ['parts', UUID],
    ['counts', ['map', [['a', 'b']]]],
  ])('of %s cannot be %j', (name, wire) => {
    expect(() => decodeValue(column(name), wire)).toThrow('does not fit');
  });

  test.each<[string, Value]>([
    ['text', undefined],
    ['number', 1.5],
    ['number', 2 ** 53],
    ['ratio', Number.NaN],
    ['best_friend', 'x'],
    ['texts', 'x'],
    ['labels', ['x']],
  ])('that does not fit %s is not written (%#)', (name, value) => {
    expect(() => encodeValue(column(name), value)).toThrow('invariant');
  });

  test('is compared by content', () => {
    expect(
      equalValues(
        new Map([
          ['a', 1],
          ['b', 2],
        ]),
        new Map([
          ['b', 2],
          ['a', 1],
        ]),
      ),
    ).toBe(true);
    expect(equalValues(new Map([['a', 1]]), new Map([['b', 1]]))).toBe(false);
    expect(equalValues(['a', 'b'], ['a', 'b'])).toBe(true);
    expect(equalValues(['a'], ['a', 'b'])).toBe(false);
    expect(equalValues([], new Map())).toBe(false);
    expect(equalValues(undefined, '')).toBe(false);
  });
});

test('a row is written without its uuid, and only with columns that exist', () => {
  expect(encodeRow(thing(), { _uuid: UUID, text: 'x', texts: [] })).toEqual({
    text: 'x',
    texts: ['set', []],
  });
  expect(() => encodeRow(thing(), { nonsense: 1 })).toThrow('no column nonsense');
});

describe('a schema', () => {
  test('tells the kind of each column and its default', () => {
    const kinds = Object.fromEntries(
      ['text', 'optional_text', 'texts', 'some_texts', 'one_label'].map((name) => {
        const { kind, defaultValue } = column(name);
        return [name, [kind, defaultValue]];
      }),
    );
    expect(kinds).toEqual({
      text: ['scalar', ''],
      optional_text: ['optional', undefined],
      texts: ['set', []],
      some_texts: ['set', ['']],
      one_label: ['map', new Map()],
    });
    expect(column('queues').value).toMatchObject({ refTable: 'Part', refType: 'strong' });
    expect(column('optional_number').key.maximum).toBe(2n ** 63n - 1n);
  });

  test('without isRoot has only root tables', () => {
    const columns = { name: { type: 'string' } };
    const schema = parseSchema({ name: 'D', version: '1', tables: { A: { columns }, B: { columns } } });
    expect(schema.ok && [...schema.value.tables.values()].map((table) => table.isRoot)).toEqual([true, true]);
  });

  test.each([
    [
      { name: 'D', version: '1', tables: { A: { columns: { a: { type: 'float' } } } } },
      'A.a: unknown type float',
    ],
    [{ name: 'D', version: '1', tables: { A: { columns: { _a: { type: 'real' } } } } }, 'A._a: names with'],
    [{ name: 'D', version: '1', tables: { 'A-B': { columns: {} } } }, 'A-B is not a valid name'],
    [{ name: 'D', version: '1' }, 'tables must be an object'],
    [null, 'schema must be an object'],
  ])('that is wrong is refused: %j', (json, error) => {
    expect(parseSchema(json)).toEqual({ ok: false, error: expect.stringContaining(error) });
  });
});

function thing(): TableSchema {
  const schema = parseSchema(parseKinds());
  if (!schema.ok) throw new Error(schema.error);
  return schema.value.tables.get('Thing') as TableSchema;
}

function column(name: string): ColumnSchema {
  return thing().columns.get(name) as ColumnSchema;
}

function parseKinds(): unknown {
  // The one integer beyond 2^53 in the file must stay exact.
  return JSON.parse(readFileSync(SCHEMA_FILE, 'utf8'), (key, value: unknown) =>
    key === 'maxInteger' ? 2n ** 63n - 1n : value,
  );
}
