import type { Database, DatabaseSchema, Row, Uuid } from '../../ovsdb/index.ts';
import { rowLabel, shortUuid } from './row-label.ts';
import type { RefText } from './value-text.ts';

/** What rows are called, and how many rows of their table are called so. */
export class RowLabels {
  readonly #schema: DatabaseSchema;
  readonly #rowsOf: (table: string) => ReadonlyMap<Uuid, Row> | undefined;
  readonly #counts = new Map<string, Map<string, number>>();

  constructor(schema: DatabaseSchema, rowsOf: (table: string) => ReadonlyMap<Uuid, Row> | undefined) {
    this.#schema = schema;
    this.#rowsOf = rowsOf;
  }

  /** A row's label; with the first digits of its uuid where it has none, or shares it with another row. */
  of(table: string, row: Row): string {
    const schema = this.#schema.tables.get(table);
    const label = schema === undefined ? undefined : rowLabel(schema, row);
    if (label === undefined) return shortUuid(row._uuid);
    return (this.#countsOf(table).get(label) ?? 0) > 1 ? `${label}${shortUuid(row._uuid)}` : label;
  }

  readonly refText: RefText = (table, uuid) => {
    const row = table === undefined ? undefined : this.#rowsOf(table)?.get(uuid);
    if (table === undefined || row === undefined) return uuid;
    const label = this.of(table, row);
    return /[\s,"[\]{}=]/.test(label) ? JSON.stringify(label) : label;
  };

  #countsOf(table: string): ReadonlyMap<string, number> {
    let counts = this.#counts.get(table);
    if (counts !== undefined) return counts;
    this.#counts.set(table, (counts = new Map()));
    const schema = this.#schema.tables.get(table);
    for (const row of this.#rowsOf(table)?.values() ?? []) {
      const label = schema === undefined ? undefined : rowLabel(schema, row);
      if (label !== undefined) counts.set(label, (counts.get(label) ?? 0) + 1);
    }
    return counts;
  }
}

/** The rows of a table of a replica that holds only some; undefined for one that it does not hold. */
export function rowsIn(
  database: Database,
  held: ReadonlySet<string>,
): (table: string) => ReadonlyMap<Uuid, Row> | undefined {
  return (table) => (held.has(table) ? database.rows(table) : undefined);
}
