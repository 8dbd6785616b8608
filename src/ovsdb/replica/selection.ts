import type { DatabaseSchema } from '../protocol/schema.ts';
import type { Selection } from './replica.ts';

/** The tables and columns that a client wants; absent means everything. */
export type WantedTables = Readonly<Record<string, readonly string[] | 'all'>>;

/** What is wanted, spelled out, with the tables and columns (`Table.column`) that the schema does not have. */
export function selectTables(
  schema: DatabaseSchema,
  wanted: WantedTables | undefined,
): { readonly selection: Selection; readonly missing: readonly string[] } {
  const missing: string[] = [];
  const selection = new Map<string, readonly string[]>();
  const entries =
    wanted === undefined ? [...schema.tables.keys()].map((t) => [t, 'all'] as const) : Object.entries(wanted);
  for (const [name, columns] of entries) {
    const table = schema.tables.get(name);
    if (table === undefined) {
      missing.push(name);
      continue;
    }
    const names = columns === 'all' ? [...table.columns.keys()] : columns;
    missing.push(
      ...names.filter((column) => !table.columns.has(column)).map((column) => `${name}.${column}`),
    );
    selection.set(name, names);
  }
  return { selection, missing };
}
