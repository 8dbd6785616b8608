import * as fc from 'fast-check';
import type { AtomicType } from '../../src/ovsdb/index.ts';
import { TRUTH_TABLES, type TruthColumn } from '../ovsdb/truth-schema.ts';
import type { ExactJson } from './exact-json.ts';
import { memberWire, wireMembers } from './update-model.ts';

const SMALL = fc.bigInt({ min: -3n, max: 3n });
const ATOMS: Readonly<Record<AtomicType, fc.Arbitrary<ExactJson>>> = {
  integer: fc.oneof(SMALL, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  // What is whole is written like an integer.
  real: fc.oneof(
    SMALL,
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((real) => !Number.isInteger(real)),
  ),
  boolean: fc.boolean(),
  string: fc.oneof(
    fc.constantFrom('', 'a', 'b', '"', '\\', '}', 'x'.repeat(300)),
    fc.string({ unit: 'binary', maxLength: 8 }).map((text) => text.replaceAll('\0', '')),
  ),
  uuid: fc.integer({ min: 0, max: 5 }).map((n): ExactJson => ['uuid', rowUuid(n)]),
};

/** A value of a column as the wire may have it: in any order, and a set of one with or without its brackets. */
export function wireValue(column: TruthColumn): fc.Arbitrary<ExactJson> {
  const { key, value, min, max } = column;
  const many = { minLength: min, maxLength: Math.min(max, 5) };
  if (value !== undefined) {
    return fc
      .array(fc.tuple(ATOMS[key], ATOMS[value]), many)
      .map((pairs) => memberWire(column, wireMembers(column, ['map', pairs])));
  }
  return fc
    .tuple(fc.array(ATOMS[key], many), fc.boolean())
    .map(([atoms, isBare]) =>
      isBare && atoms.length === 1
        ? (atoms[0] as ExactJson)
        : memberWire(column, wireMembers(column, ['set', atoms])),
    );
}

/** Some columns of a row. */
export function wireRow(table: string): fc.Arbitrary<Readonly<Record<string, ExactJson>>> {
  const all = Object.entries(TRUTH_TABLES[table]?.columns ?? {});
  // Those of several members make for more interesting changes.
  const columns = fc.oneof(fc.constant(all), fc.constant(all.filter(([, { max }]) => max > 1).slice(0, 12)));
  return columns
    .chain((some) => fc.subarray(some, { maxLength: Math.min(some.length, 8) }))
    .chain((some) =>
      fc.record(Object.fromEntries(some.map(([name, column]) => [name, wireValue(column)] as const))),
    );
}

export function rowUuid(n: number): string {
  return `${n}0000000-0000-4000-8000-00000000000${n}`;
}
