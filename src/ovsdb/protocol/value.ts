import type { Brand } from '../../lib/brand.ts';

/** The identity of a row inside one database. */
export type Uuid = Brand<string, 'Uuid'>;

/**
 * One atomic value. An integer is a `number` while that is exact and a `bigint` beyond 2^53-1; a uuid is a `Uuid`.
 */
export type Atom = string | boolean | number | bigint;

/**
 * A column's value by the column's kind: scalar (an atom), optional (an atom or `undefined`), set (sorted, without
 * duplicates) or map (in the order of its keys).
 */
export type Value = Atom | undefined | readonly Atom[] | ReadonlyMap<Atom, Atom>;

/** A row of the replica. It never changes: a changed row is a new object. Columns at their default are filled in. */
export interface Row {
  readonly _uuid: Uuid;
  readonly [column: string]: Value;
}

/** An atom as JSON carries it: RFC 7047 5.1 `<atom>`. */
export type WireAtom = string | number | bigint | boolean | WireUuid;

/** A reference to a row that exists, or to one that the same transaction inserts under a `uuid-name`. */
export type WireUuid = readonly ['uuid', string] | readonly ['named-uuid', string];

/** A value as JSON carries it: RFC 7047 5.1 `<value>`. */
export type WireValue =
  | WireAtom
  | readonly ['set', readonly WireAtom[]]
  | readonly ['map', readonly (readonly [WireAtom, WireAtom])[]];

/** Column values as JSON carries them: RFC 7047 5.1 `<row>`. */
export type WireRow = Readonly<Record<string, WireValue>>;

/** What the other side sent is not OVSDB: the connection must be given up. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether `text` is a uuid in the lower-case form that OVSDB uses. */
export function isUuid(text: string): text is Uuid {
  return UUID.test(text);
}

/** Orders two atoms of one column: strings by code unit, numbers by size, `false` before `true`. */
export function compareAtoms(a: Atom, b: Atom): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The atoms in ascending order without duplicates; the same array when it is so already. */
export function toSortedSet(atoms: readonly Atom[]): readonly Atom[] {
  for (let at = 1; at < atoms.length; at++) {
    if (compareAtoms(atoms[at - 1] as Atom, atoms[at] as Atom) >= 0) {
      return [...new Set(atoms)].toSorted(compareAtoms);
    }
  }
  return atoms;
}

/** Whether two values of one column are equal. Sets must be sorted; maps may be in any order. */
export function equalValues(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  if (isSet(a)) return isSet(b) && a.length === b.length && a.every((atom, at) => atom === b[at]);
  if (isSet(b) || a.size !== b.size) return false;
  for (const [key, atom] of a) {
    if (b.get(key) !== atom) return false;
  }
  return true;
}

/** Tells a set from the other kinds of value (`Array.isArray` does not narrow readonly arrays). */
export function isSet(value: Value): value is readonly Atom[] {
  return Array.isArray(value);
}
