import { reuse } from '../lib/equal.ts';
import { invariant } from '../lib/invariant.ts';
import { compareText } from '../lib/order.ts';
import type { NbRow, NbTable, NbValue, RowKey, UnitName } from '../model/nb.ts';
import type { Resource } from '../model/resource.ts';

/** A row as a concern states it; columns that are undefined or empty are left at their OVSDB default. */
export interface RowDraft {
  readonly table: NbTable;
  readonly key: RowKey;
  readonly unit: UnitName;
  readonly columns: Readonly<Record<string, NbValue | undefined>>;
  readonly parent?: { readonly key: RowKey; readonly column: string };
  /** The document that the row comes from. */
  readonly from: Resource;
}

/** Collects the rows of all concerns; every identity exactly once. */
export class RowSet {
  readonly #rows = new Map<RowKey, NbRow>();

  add(draft: RowDraft): void {
    if (this.#rows.has(draft.key)) invariant(false, `two rows with the identity ${draft.key}`);
    const { file, line } = draft.from.origin.place;
    this.#rows.set(draft.key, {
      key: draft.key,
      table: draft.table,
      unit: draft.unit,
      columns: presentColumns(draft.columns),
      parent: draft.parent,
      source: { file, line },
    });
  }

  has(key: RowKey): boolean {
    return this.#rows.has(key);
  }

  /** The rows in canonical order. Those that say the same as before are the same objects as before. */
  inOrder(before: readonly NbRow[] = []): readonly NbRow[] {
    const known = new Map(before.map((row) => [row.key, row]));
    const rows = [...this.#rows.values()].map((row) => reuse(known.get(row.key), row));
    return joinRows([rows], before);
  }
}

/** The rows of several lists in canonical order; the list from before when it has the very same rows. */
export function joinRows(
  lists: readonly (readonly NbRow[])[],
  before: readonly NbRow[] = [],
): readonly NbRow[] {
  const rows = lists.flat().toSorted((a, b) => compareText(a.key, b.key));
  const isSame = rows.length === before.length && rows.every((row, index) => row === before[index]);
  return isSame ? before : rows;
}

/** The columns that have a value, in canonical order. */
function presentColumns(columns: RowDraft['columns']): Readonly<Record<string, NbValue>> {
  const present: Record<string, NbValue> = {};
  for (const column of Object.keys(columns).toSorted(compareText)) {
    const value = columns[column];
    if (value !== undefined && !isEmpty(value)) present[column] = value;
  }
  return present;
}

function isEmpty(value: NbValue): boolean {
  if (typeof value !== 'object') return false;
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}
