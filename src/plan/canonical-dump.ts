import { compareText, sortedRecord } from '../lib/order.ts';
import { MARK } from '../model/marks.ts';
import type { DatabaseSchema } from '../ovsdb/index.ts';
import type { LiveAtom, LiveColumns, LiveValue } from '../model/live.ts';

/** Rows by table: table -> rows, each named by identity, with columns in OVSDB spelling. */
export type CanonicalDump = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Columns that northd, ovn-controller or the clock write (ovn-nb(5)): no one's intent. */
const VOLATILE: Readonly<Record<string, readonly string[]>> = {
  NB_Global: [
    'nb_cfg',
    'nb_cfg_timestamp',
    'sb_cfg',
    'sb_cfg_timestamp',
    'hv_cfg',
    'hv_cfg_timestamp',
    'options',
    'external_ids',
  ],
  Logical_Switch_Port: ['up', 'dynamic_addresses'],
  Logical_Router_Port: ['ipv6_prefix', 'status'],
  BFD: ['status'],
  Connection: ['is_connected', 'status'],
};

/** Marks that tell where a row was last written from: two ways to one state differ in nothing else. */
const BLAME: ReadonlySet<string> = new Set([MARK.source, MARK.commit]);

/**
 * The whole content of a Northbound without UUIDs: rows are named by our key, or by their content where they are not
 * ours, and references are shown by those names. Two databases with equal dumps mean the same network.
 */
export function canonicalDump(
  schema: DatabaseSchema,
  rowsOf: (table: string) => Iterable<LiveColumns>,
): CanonicalDump {
  const names = new Map<string, string>();
  const tables = [...schema.tables.keys()].toSorted(compareText);
  for (const table of tables) for (const row of rowsOf(table)) names.set(row._uuid, nameOf(row));
  const dump: Record<string, Record<string, unknown>> = {};
  for (const table of tables) {
    const rows = [...rowsOf(table)].map((row) => dumpRow(schema, table, row, names));
    if (rows.length === 0) continue;
    const named: Record<string, unknown> = {};
    for (const [name, columns] of rows.toSorted(compareRows)) named[freeName(named, name)] = columns;
    dump[table] = named;
  }
  return dump;
}

type DumpedRow = readonly [string, Readonly<Record<string, unknown>>];

function compareRows(a: DumpedRow, b: DumpedRow): number {
  return compareText(a[0], b[0]) || compareText(JSON.stringify(a[1]), JSON.stringify(b[1]));
}

function freeName(taken: Readonly<Record<string, unknown>>, name: string): string {
  if (!(name in taken)) return name;
  let number = 2;
  while (`${name} #${number}` in taken) number += 1;
  return `${name} #${number}`;
}

function nameOf(row: LiveColumns): string {
  const ids = row['external_ids'];
  const key: unknown = ids instanceof Map ? ids.get(MARK.key) : undefined;
  if (typeof key === 'string') return key;
  const name = row['name'];
  return typeof name === 'string' && name !== '' ? `foreign ${name}` : 'foreign';
}

function dumpRow(
  schema: DatabaseSchema,
  table: string,
  row: LiveColumns,
  names: ReadonlyMap<string, string>,
): DumpedRow {
  const columns: Record<string, unknown> = {};
  for (const column of schema.tables.get(table)?.columns.keys() ?? []) {
    if (VOLATILE[table]?.includes(column) === true) continue;
    const isScalar = schema.tables.get(table)?.columns.get(column)?.kind === 'scalar';
    const value = isScalar && isDefault(row[column]) ? undefined : dumpValue(row[column], names);
    if (value !== undefined) columns[column] = value;
  }
  return [names.get(row._uuid) ?? 'foreign', sortedRecord(columns)];
}

/** The value that a column has when nobody ever set it (RFC 7047 5.2.1). */
function isDefault(value: LiveValue): boolean {
  return value === '' || value === 0 || value === false;
}

/** A value without UUIDs; undefined for one that says nothing. */
function dumpValue(value: LiveValue, names: ReadonlyMap<string, string>): unknown {
  const text = (atom: LiveAtom): string => names.get(String(atom)) ?? String(atom);
  if (value === undefined) return undefined;
  if (value instanceof Map) {
    const entries = [...(value as ReadonlyMap<LiveAtom, LiveAtom>)]
      .filter(([key]) => !BLAME.has(String(key)))
      .map(([key, member]) => [text(key), text(member)] as const);
    return entries.length === 0 ? undefined : sortedRecord(Object.fromEntries(entries));
  }
  if (Array.isArray(value)) {
    const members = (value as readonly LiveAtom[]).map(text).toSorted(compareText);
    return members.length === 0 ? undefined : members;
  }
  return text(value as LiveAtom);
}
