import { invariant } from '../lib/invariant.ts';
import { compareText } from '../lib/order.ts';
import type { NbRow, NbState, NbTable, NbValue, RowKey, UnitName } from '../model/nb.ts';
import type { Resource } from '../model/resource.ts';
import { found } from './topology.ts';

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

  /** The rows in canonical order. */
  toState(): NbState {
    const keys = [...this.#rows.keys()].toSorted(compareText);
    return { rows: new Map(keys.map((key) => [key, found(this.#rows, key)])) };
  }
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
