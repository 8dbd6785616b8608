import type { Atom, ColumnSchema, Row, Value } from '../../ovsdb/index.ts';
import { isSet } from '../../ovsdb/index.ts';

/** A value as JSON for programs: a set is an array, a map an object, an empty optional null, a uuid its text. */
function jsonValue(value: Value): unknown {
  if (value === undefined) return null;
  if (isSet(value) || typeof value !== 'object') return value;
  return Object.fromEntries([...value].map(([key, atom]: readonly [Atom, Atom]) => [String(key), atom]));
}

/** Some columns of a row as JSON. */
export function jsonRow(columns: readonly ColumnSchema[], row: Row): Readonly<Record<string, unknown>> {
  return Object.fromEntries(columns.map(({ name }) => [name, jsonValue(row[name])]));
}
