import { compareText } from '../../lib/order.ts';
import { type Result, fail, ok } from '../../lib/result.ts';
import type { ColumnSchema, DatabaseSchema, TableSchema, WantedTables } from '../../ovsdb/index.ts';
import { nearest } from '../../spec/nearest.ts';
import { labelColumns } from './row-label.ts';

/** The columns to show of each table, tables and columns in canonical order. */
export type TableSelection = ReadonlyMap<string, readonly ColumnSchema[]>;

/**
 * Reads `TABLE` and `TABLE.COLUMN` words; no words mean everything. All that the schema does not have is in the error,
 * one sentence.
 */
export function selectTables(
  schema: DatabaseSchema,
  words: readonly string[],
): Result<TableSelection, string> {
  const wanted = words.length === 0 ? [...schema.tables.keys()] : words;
  const columns = new Map<string, Set<string>>();
  const faults: string[] = [];
  for (const word of wanted) {
    const [tableName, columnName] = splitOnce(word);
    const table = findTable(schema, tableName);
    if (!table.ok) {
      faults.push(table.error);
      continue;
    }
    const names = columns.get(tableName) ?? new Set();
    columns.set(tableName, names);
    if (columnName === undefined) for (const name of table.value.columns.keys()) names.add(name);
    else {
      const column = findColumn(table.value, columnName);
      if (column.ok) names.add(columnName);
      else faults.push(column.error);
    }
  }
  if (faults.length > 0) return fail(faults.join('; '));
  return ok(
    new Map(
      [...columns.keys()]
        .toSorted(compareText)
        .map((name) => [name, columnsOf(schema, name, columns.get(name) ?? new Set())]),
    ),
  );
}

/** The table of a name, or a sentence with what was probably meant. */
export function findTable(schema: DatabaseSchema, name: string): Result<TableSchema, string> {
  const table = schema.tables.get(name);
  if (table !== undefined) return ok(table);
  return fail(`${schema.name} has no table "${name}"${meant(name, schema.tables.keys())}`);
}

/** The column of a name, or a sentence with what was probably meant. */
export function findColumn(table: TableSchema, name: string): Result<ColumnSchema, string> {
  const column = table.columns.get(name);
  if (column !== undefined) return ok(column);
  return fail(`table ${table.name} has no column "${name}"${meant(name, table.columns.keys())}`);
}

/** What the replica must hold to show a selection: with `labels` also what the rows that it refers to are called by. */
export function wantedTables(
  schema: DatabaseSchema,
  selection: TableSelection,
  { labels }: { readonly labels: boolean },
): WantedTables {
  const wanted = new Map<string, Set<string>>();
  const add = (table: string, names: readonly string[]): void => {
    const known = wanted.get(table) ?? new Set();
    wanted.set(table, known);
    for (const name of names) known.add(name);
  };
  for (const [table, columns] of selection) {
    add(
      table,
      columns.map(({ name }) => name),
    );
    for (const name of labels ? [table, ...columns.flatMap(targetsOf)] : []) {
      const target = schema.tables.get(name);
      if (target !== undefined) add(name, labelColumns(target));
    }
  }
  return Object.fromEntries([...wanted].map(([table, names]) => [table, [...names]]));
}

function columnsOf(
  schema: DatabaseSchema,
  table: string,
  names: ReadonlySet<string>,
): readonly ColumnSchema[] {
  const columns = [...(schema.tables.get(table)?.columns.values() ?? [])];
  return columns.filter(({ name }) => names.has(name)).toSorted((a, b) => compareText(a.name, b.name));
}

function targetsOf({ key, value }: ColumnSchema): readonly string[] {
  return [key.refTable, value?.refTable].filter((table) => table !== undefined);
}

function splitOnce(word: string): readonly [string, string?] {
  const at = word.indexOf('.');
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

function meant(name: string, candidates: Iterable<string>): string {
  const near = nearest(name, candidates);
  return near === undefined ? '' : `; did you mean ${near}?`;
}
