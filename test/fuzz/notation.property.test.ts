import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import {
  type ColumnSchema,
  decodeValue,
  encodeValue,
  parseJson,
  stringifyJson,
} from '../../src/ovsdb/index.ts';
import { ProtocolError } from '../../src/ovsdb/protocol/value.ts';
import { TRUTH_TABLES, type TruthColumn } from '../ovsdb/truth-schema.ts';
import { valueText, wireText } from '../ovsdb/truth-text.ts';
import { garbled } from '../support/garbage.ts';
import { SEED, seededRandom } from '../support/seed.ts';
import { type ExactJson, parseExactly, printExactly } from './exact-json.ts';
import { SCHEMA } from './replica-probe.ts';
import { ModelRefusal, memberWire, wireMembers } from './update-model.ts';
import { wireValue } from './values.ts';

const COLUMNS = Object.entries(TRUTH_TABLES['Thing']?.columns ?? {});

/** A column of any kind with a value of it. */
const VALUES = fc
  .constantFrom(...COLUMNS)
  .chain(([name, column]) => fc.tuple(fc.constant(name), fc.constant(column), wireValue(column)));

describe('notation', () => {
  property.prop([VALUES])(
    'is read as it is meant, and written so that it is read again',
    ([name, column, wire]) => {
      const value = decodeValue(schemaOf(name), asParsed(wire));
      expect(valueText(column, value)).toBe(wireText(column, wire));
      const written = parseExactly(stringifyJson(encodeValue(schemaOf(name), value)));
      expect(wireText(column, written)).toBe(wireText(column, wire));
    },
  );

  property.prop([VALUES, fc.nat()])(
    'in which something is of another type is refused, or means what it says',
    ([name, column, wire], seed) => {
      expectRightOrRefused(name, column, garbled(asParsed(wire), seededRandom(SEED + seed)));
    },
  );

  property.prop([fc.constantFrom(...COLUMNS), fc.jsonValue()])(
    'of anything else is refused',
    ([name, column], json) => {
      expectRightOrRefused(name, column, json);
    },
  );

  property.prop([VALUES, fc.constantFrom(...COLUMNS)])(
    'of another column is refused, or means the same',
    ([, , wire], [name, column]) => {
      expectRightOrRefused(name, column, asParsed(wire));
    },
  );

  test.each<[string, unknown]>([
    ['set_string', ['set', 5]],
    ['set_string', ['set']],
    ['set_string', ['set', ['a'], 'b']],
    ['one_string', ['set', 'a']],
    ['map_string_string', ['map', ['xy']]],
    ['map_string_string', ['map', { a: 'b' }]],
    ['map_string_string', ['map', [['a', 'b', 'c']]]],
    ['map_string_string', ['map', [['a', 'b']], 1]],
    ['one_uuid', ['uuid', 'garbage']],
    ['one_uuid', ['uuid', '00000000-0000-0000-0000-000000000000', 1]],
    ['one_string', { toString: 1 }],
    ['one_string', undefined],
    ['one_integer', 1e308],
  ])('for %s is never %j', (name, wire) => {
    expect(() => decodeValue(schemaOf(name), wire)).toThrow(ProtocolError);
  });
});

/** The model says what a value means; what it does not understand must be refused. */
function expectRightOrRefused(name: string, column: TruthColumn, json: unknown): void {
  const wire = parseExactly(stringifyJson(json));
  const meant = meaning(column, wire);
  if (meant === undefined) expect(() => decodeValue(schemaOf(name), json)).toThrow(ProtocolError);
  else expect(valueText(column, decodeValue(schemaOf(name), json))).toBe(wireText(column, meant));
}

function meaning(column: TruthColumn, wire: ExactJson): ExactJson | undefined {
  try {
    const members = wireMembers(column, wire);
    const isOne =
      column.max > 1 || column.value !== undefined || (members.size <= 1 && members.size >= column.min);
    return isOne ? memberWire(column, members) : undefined;
  } catch (error) {
    if (error instanceof ModelRefusal) return undefined;
    throw error;
  }
}

function schemaOf(column: string): ColumnSchema {
  return SCHEMA.tables.get('Thing')?.columns.get(column) as ColumnSchema;
}

/** A value as the client's own parser gives it. */
function asParsed(wire: ExactJson): unknown {
  return parseJson(printExactly(wire));
}
