import type { Database, Value } from '../../src/ovsdb/index.ts';
import type { Json } from './raw-connection.ts';

/**
 * A value of the wire as one text, whatever the order of its members and whether a set of one is written as a set
 * (RFC 7047 5.1).
 */
export function wireText(value: Json | undefined): string {
  if (!Array.isArray(value)) return value === undefined ? '' : JSON.stringify(value);
  const [kind, members = null] = value as readonly Json[];
  if (kind === 'uuid') return members as string;
  const list = members as readonly Json[];
  if (kind === 'map') return list.map(pairText).toSorted().join(', ');
  return list.map(wireText).toSorted().join(' ');
}

/** The members of a set on the wire. */
export function wireMembers(value: Json | undefined): readonly Json[] {
  if (!Array.isArray(value) || value[0] !== 'set') return value === undefined ? [] : [value];
  return value[1] as readonly Json[];
}

/** A map on the wire with text keys and values. */
export function wireMap(value: Json | undefined): ReadonlyMap<string, string> {
  const pairs = Array.isArray(value) && value[0] === 'map' ? (value[1] as readonly Json[]) : [];
  return new Map(pairs as unknown as readonly (readonly [string, string])[]);
}

/** The rows of a replica as texts, by `TABLE/UUID`, to be compared with `rawRowTexts`. */
export function replicaRowTexts(
  database: Pick<Database, 'schema' | 'rows'>,
  tables: readonly string[] = [...database.schema.tables.keys()],
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const table of tables) {
    const columns = [...(database.schema.tables.get(table)?.columns.keys() ?? [])].toSorted();
    for (const [uuid, row] of database.rows(table)) {
      const text = columns.map((column) => `${column}=${valueText(row[column])}`).join('; ');
      texts.set(`${table}/${uuid}`, text);
    }
  }
  return texts;
}

/** Rows as a server writes them as texts, by `TABLE/UUID`. */
export function rawRowTexts(
  tables: ReadonlyMap<string, ReadonlyMap<string, Readonly<Record<string, Json>>>>,
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const [table, rows] of tables) {
    for (const [uuid, row] of rows) {
      const columns = Object.keys(row).filter((column) => !column.startsWith('_'));
      texts.set(
        `${table}/${uuid}`,
        columns
          .toSorted()
          .map((column) => `${column}=${wireText(row[column])}`)
          .join('; '),
      );
    }
  }
  return texts;
}

/** What differs between two sets of texts, one line a difference. */
export function differences(
  actual: ReadonlyMap<string, string>,
  expected: ReadonlyMap<string, string>,
): readonly string[] {
  const lines: string[] = [];
  for (const [key, text] of expected) {
    if (actual.get(key) !== text) lines.push(`${key} is ${actual.get(key) ?? 'missing'}, not ${text}`);
  }
  for (const [key, text] of actual) if (!expected.has(key)) lines.push(`${key} should not be: ${text}`);
  return lines;
}

/** A value of a replica as `wireText` writes it. */
export function valueText(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Map)
    return [...value]
      .map(([key, each]) => `${valueText(key)}: ${valueText(each)}`)
      .toSorted()
      .join(', ');
  if (Array.isArray(value)) return value.map(valueText).toSorted().join(' ');
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string' && UUID.test(value)) return value;
  return JSON.stringify(value);
}

function pairText(pair: Json): string {
  const [key, value] = pair as readonly [Json, Json];
  return `${wireText(key)}: ${wireText(value)}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
