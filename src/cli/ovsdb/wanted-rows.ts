import { compareText } from '../../lib/order.ts';
import { type Result, fail, ok } from '../../lib/result.ts';
import type { DatabaseSchema, WantedTables } from '../../ovsdb/index.ts';
import type { Fault } from '../fault.ts';
import { selectTables, type TableSelection, wantedTables } from './table-selection.ts';
import { columnsOfWhere, parseWhere, type Where } from './where.ts';

/** The rows that a command line asks for. */
export interface WantedRows {
  readonly selection: TableSelection;
  readonly where: Where;
  /** What the replica must hold to find and to show them. */
  readonly tables: WantedTables;
}

/** Reads `TABLE[.COLUMN]` words and `--where` conditions; with conditions and no words, their tables are meant. */
export function readWantedRows(
  schema: DatabaseSchema,
  words: readonly string[],
  conditions: readonly string[],
  { labels }: { readonly labels: boolean },
): Result<WantedRows, Fault> {
  const where = parseWhere(schema, conditions);
  const named = words.length > 0 || !where.ok ? words : [...where.value.clauses.keys()];
  const selection = selectTables(schema, named);
  const faults = [where, selection].flatMap((part) => (part.ok ? [] : [part.error]));
  if (where.ok && selection.ok) {
    for (const table of where.value.clauses.keys()) {
      if (!selection.value.has(table))
        faults.push(`--where speaks of ${table}, which is not among the tables`);
    }
    if (faults.length === 0) {
      const tables = wantedTables(schema, withColumns(selection.value, where.value), { labels });
      return ok({ selection: selection.value, where: where.value, tables });
    }
  }
  return fail({ message: faults.join('; ') });
}

function withColumns(selection: TableSelection, where: Where): TableSelection {
  const all = new Map([...selection].map(([table, columns]) => [table, new Set(columns)]));
  for (const [table, column] of columnsOfWhere(where)) all.get(table)?.add(column);
  return new Map([...all].toSorted(([a], [b]) => compareText(a, b)).map(([t, c]) => [t, [...c]]));
}
