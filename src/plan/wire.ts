import { compareText } from '../lib/order.ts';
import type { NbValue, Ref, RowKey } from '../model/nb.ts';
import type { ColumnSchema, WireValue } from '../ovsdb/index.ts';
import type { LiveAtom, LiveValue } from '../model/live.ts';

/** A UUID in the notation of RFC 7047 5.1. */
export function encodeUuid(uuid: string): WireValue {
  return ['uuid', uuid];
}

/** A set of UUIDs. */
export function encodeUuids(uuids: readonly string[]): WireValue {
  return ['set', uuids.map((uuid) => ['uuid', uuid] as const)];
}

/** A map of texts, its keys in canonical order. */
export function encodeMap(entries: Readonly<Record<string, string>>): WireValue {
  const pairs = Object.entries(entries);
  return ['map', isSorted(pairs) ? pairs : pairs.toSorted(([a], [b]) => compareText(a, b))];
}

/** A desired value; references become the UUIDs that `uuidOf` gives. */
export function encodeNbValue(value: NbValue, uuidOf: (key: RowKey) => string): WireValue {
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    return ['set', (value as readonly (string | Ref)[]).map((member) => encodeMember(member, uuidOf))];
  }
  if (isRef(value)) return encodeUuid(uuidOf(value.ref));
  return encodeMap(value as Readonly<Record<string, string>>);
}

/** True for a reference to another row. */
export function isRef(value: unknown): value is Ref {
  if (typeof value !== 'object' || value === null || !('ref' in value)) return false;
  return typeof value.ref === 'string' && Object.keys(value).length === 1;
}

/** What a column holds when nothing is said: an empty set for an optional one, else the default of its type (RFC 7047 5.2.1). */
export function emptyValue(column: ColumnSchema | undefined): WireValue {
  if (column === undefined || column.min === 0) return ['set', []];
  switch (column.key.type) {
    case 'integer':
    case 'real':
      return 0;
    case 'boolean':
      return false;
    case 'string':
    case 'uuid':
      return '';
  }
}

/** A single live value as it must be written to be compared with itself in a guard. */
export function encodeLive(value: LiveValue, column: ColumnSchema | undefined): WireValue {
  if (value === undefined) return emptyValue(column);
  const [atom] = (Array.isArray(value) ? value : [value]) as readonly LiveAtom[];
  if (atom === undefined) return emptyValue(column);
  return column?.key.type === 'uuid' ? encodeUuid(String(atom)) : atom;
}

/** Compiled maps are in canonical order already. */
function isSorted(pairs: readonly (readonly [string, string])[]): boolean {
  return pairs.every(([name], index) => index === 0 || (pairs[index - 1]?.[0] ?? '') < name);
}

function encodeMember(member: string | Ref, uuidOf: (key: RowKey) => string): WireAtom {
  return typeof member === 'string' ? member : (['uuid', uuidOf(member.ref)] as const);
}

type WireAtom = string | readonly ['uuid', string];
