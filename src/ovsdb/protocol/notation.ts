import { invariant } from '../../lib/invariant.ts';
import { stringifyJson } from './json.ts';
import type { BaseType, ColumnSchema, TableSchema } from './schema.ts';
import {
  type Atom,
  ProtocolError,
  type Value,
  type WireAtom,
  type WireRow,
  type WireValue,
  isSet,
  isUuid,
  toSortedSet,
} from './value.ts';

/** Lets the replica keep one copy of strings and uuids that occur often. */
export type Intern = (text: string) => string;

/**
 * Reads a value as RFC 7047 5.1 writes it. A set of one element may be bare.
 *
 * @throws ProtocolError when the value does not fit the column.
 */
export function decodeValue(column: ColumnSchema, wire: unknown, intern: Intern = keep): Value {
  if (column.kind === 'map') return decodeMap(column, wire, intern);
  if (Array.isArray(wire) && wire[0] === 'set') {
    const atoms = membersOf(wire, column).map((atom) => decodeAtom(column.key, atom, intern));
    if (column.kind === 'set') return toSortedSet(atoms);
    if (atoms.length > 1 || atoms.length < column.min) throw misfit(wire, column.name);
    return atoms[0];
  }
  const atom = decodeAtom(column.key, wire, intern);
  return column.kind === 'set' ? [atom] : atom;
}

/**
 * Writes a value as RFC 7047 5.1 wants it; an empty optional becomes an empty set.
 *
 * @throws Error when the value does not fit the column: that is the caller's bug.
 */
export function encodeValue(column: ColumnSchema, value: Value): WireValue {
  const { key, name } = column;
  if (column.kind === 'map') {
    invariant(value instanceof Map && column.value !== undefined, `${name} needs a map`);
    const valueType = column.value;
    return ['map', [...value].map(([k, v]) => [encodeAtom(key, k, name), encodeAtom(valueType, v, name)])];
  }
  if (column.kind === 'set') {
    invariant(isSet(value), `${name} needs a set`);
    return ['set', toSortedSet(value).map((atom) => encodeAtom(key, atom, name))];
  }
  if (column.kind === 'optional' && value === undefined) return ['set', []];
  invariant(value !== undefined && typeof value !== 'object', `${name} needs one atom`);
  return encodeAtom(key, value, name);
}

/** Writes the columns that `row` has; `_uuid` is not one of them. */
export function encodeRow(table: TableSchema, row: Readonly<Record<string, Value>>): WireRow {
  const encoded: Record<string, WireValue> = {};
  for (const [name, value] of Object.entries(row)) {
    if (name === '_uuid') continue;
    const column = table.columns.get(name);
    invariant(column !== undefined, `table ${table.name} has no column ${name}`);
    encoded[name] = encodeValue(column, value);
  }
  return encoded;
}

function decodeAtom(base: BaseType, wire: unknown, intern: Intern): Atom {
  switch (base.type) {
    case 'string':
      if (typeof wire === 'string') return intern(wire);
      break;
    case 'boolean':
      if (typeof wire === 'boolean') return wire;
      break;
    case 'integer':
      if (typeof wire === 'bigint' || Number.isSafeInteger(wire)) return wire as number | bigint;
      break;
    case 'real':
      if (typeof wire === 'number') return wire;
      if (typeof wire === 'bigint') return Number(wire);
      break;
    case 'uuid':
      if (isWireUuid(wire)) return intern(wire[1]);
      break;
  }
  throw misfit(wire, base.type);
}

function decodeMap(column: ColumnSchema, wire: unknown, intern: Intern): ReadonlyMap<Atom, Atom> {
  const { value } = column;
  if (value === undefined || !Array.isArray(wire) || wire[0] !== 'map') throw misfit(wire, column.name);
  const pairs = membersOf(wire, column).map((pair): readonly [Atom, Atom] => {
    if (!Array.isArray(pair) || pair.length !== 2) throw misfit(wire, column.name);
    return [decodeAtom(column.key, pair[0], intern), decodeAtom(value, pair[1], intern)];
  });
  // The server sends maps in the order of their keys; ours is kept when a map is changed.
  return new Map(pairs);
}

/** What stands in `["set",[...]]` or `["map",[...]]`. */
function membersOf(wire: readonly unknown[], column: ColumnSchema): readonly unknown[] {
  const [, members] = wire;
  if (wire.length !== 2 || !Array.isArray(members)) throw misfit(wire, column.name);
  return members;
}

function isWireUuid(wire: unknown): wire is readonly ['uuid', string] {
  return (
    Array.isArray(wire) &&
    wire.length === 2 &&
    wire[0] === 'uuid' &&
    typeof wire[1] === 'string' &&
    isUuid(wire[1])
  );
}

function encodeAtom(base: BaseType, atom: Atom, name: string): WireAtom {
  switch (base.type) {
    case 'uuid':
      invariant(typeof atom === 'string' && isUuid(atom), `${name} needs a uuid`);
      return ['uuid', atom];
    case 'integer':
      invariant(typeof atom === 'bigint' || Number.isSafeInteger(atom), `${name} needs an exact integer`);
      return atom;
    case 'real':
      invariant(Number.isFinite(atom), `${name} needs a finite number`);
      return atom;
    case 'string':
    case 'boolean':
      invariant(typeof atom === base.type, `${name} needs a ${base.type}`);
      return atom;
  }
}

function misfit(wire: unknown, wanted: string): ProtocolError {
  // In a list, because no value at all has no text of its own.
  const text = stringifyJson([wire]).slice(1, -1);
  return new ProtocolError(`a value does not fit ${wanted}: ${text.slice(0, 100)}`);
}

function keep(text: string): string {
  return text;
}
