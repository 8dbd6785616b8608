import * as fc from 'fast-check';
import { TRUTH_TABLES } from '../ovsdb/truth-schema.ts';
import type { TruthRows } from '../ovsdb/truth-server.ts';
import { type ExactJson, printExactly } from './exact-json.ts';
import { defaultWire, memberWire, wireMembers } from './update-model.ts';
import { rowUuid, wireRow } from './values.ts';

type WireRow = Readonly<Record<string, ExactJson>>;

/** Some rows of some tables: the same uuids again and again, so that two states have much in common. */
export const STATES: fc.Arbitrary<TruthRows> = fc
  .array(
    fc
      .tuple(fc.constantFrom('Thing', 'Thing', 'Part', 'Named'), fc.nat(2))
      .chain(([table, n]) =>
        wireRow(table).map((row) => [`${table}/${rowUuid(n)}`, withDefaults(table, row)] as const),
      ),
    { maxLength: 6 },
  )
  .map((rows) => new Map(rows));

/** Which form of `<table-updates>` is written, and with how many words. */
export interface Style {
  /** RFC 7047 4.1.6, or ovsdb-server(7) 4.1.14. */
  readonly version: 1 | 2;
  /** New rows leave out what has its default, as servers do. */
  readonly isShort: boolean;
}

export const STYLES: fc.Arbitrary<Style> = fc.record({
  version: fc.constantFrom(1, 2),
  isShort: fc.boolean(),
});

/** A complete copy, as the reply to a monitor has it. */
export function copyOf(rows: TruthRows, style: Style): ExactJson {
  return updatesBetween(new Map(), rows, style, 'initial');
}

/** What leads from one state to another. */
export function updatesBetween(
  before: TruthRows,
  after: TruthRows,
  { version, isShort }: Style,
  insert: 'insert' | 'initial' = 'insert',
): ExactJson {
  const tables: Record<string, Record<string, ExactJson>> = {};
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [table, uuid] = key.split('/') as [string, string];
    const [was, is] = [before.get(key), after.get(key)];
    const content = is === undefined ? null : isShort && version === 2 ? withoutDefaults(table, is) : is;
    const changed = was === undefined || is === undefined ? [] : changedColumns(table, was, is);
    if (was !== undefined && is !== undefined && changed.length === 0) continue;
    (tables[table] ??= {})[uuid] =
      version === 1
        ? {
            ...(was && { old: pickColumns(was, is === undefined ? Object.keys(was) : changed) }),
            ...(is && { new: is }),
          }
        : was === undefined
          ? { [insert]: content }
          : is === undefined
            ? { delete: null }
            : { modify: Object.fromEntries(changed.map((name) => [name, difference(table, name, was, is)])) };
  }
  return tables;
}

function withDefaults(table: string, row: WireRow): WireRow {
  const columns = Object.entries(TRUTH_TABLES[table]?.columns ?? {});
  return Object.fromEntries(columns.map(([name, column]) => [name, row[name] ?? defaultWire(column)]));
}

function withoutDefaults(table: string, row: WireRow): WireRow {
  const columns = Object.entries(TRUTH_TABLES[table]?.columns ?? {});
  const names = columns.filter(
    ([name, column]) => !isSame(table, name, row, { [name]: defaultWire(column) }),
  );
  return pickColumns(
    row,
    names.map(([name]) => name),
  );
}

function pickColumns(row: WireRow, names: readonly string[]): WireRow {
  return Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
}

function changedColumns(table: string, was: WireRow, is: WireRow): readonly string[] {
  return Object.keys(was).filter((name) => !isSame(table, name, was, is));
}

function isSame(table: string, name: string, a: WireRow, b: WireRow): boolean {
  return printMembers(table, name, a) === printMembers(table, name, b);
}

function printMembers(table: string, name: string, row: WireRow): string {
  return [...membersIn(table, name, row).values()].map(printExactly).toSorted().join();
}

/** The new value where at most one fits; otherwise what changes sides, with the new values of a map or the old ones. */
function difference(table: string, name: string, was: WireRow, is: WireRow): ExactJson {
  const column = TRUTH_TABLES[table]?.columns[name];
  if (column === undefined || column.max === 1) return is[name] ?? null;
  const [before, after] = [membersIn(table, name, was), membersIn(table, name, is)];
  const changed = new Map<string, readonly ExactJson[]>();
  for (const [key, member] of before) if (!after.has(key)) changed.set(key, member);
  for (const [key, member] of after) {
    const old = before.get(key);
    if (old === undefined || printExactly(old) !== printExactly(member)) changed.set(key, member);
  }
  return memberWire(column, changed);
}

function membersIn(table: string, name: string, row: WireRow): ReadonlyMap<string, readonly ExactJson[]> {
  const column = TRUTH_TABLES[table]?.columns[name];
  return column === undefined ? new Map() : wireMembers(column, row[name] ?? null);
}
