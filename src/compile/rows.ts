import { invariant } from '../lib/invariant.ts';
import { compareText, sortedRecord } from '../lib/order.ts';
import type { NbRow, NbState, NbTable, NbValue, RowKey, UnitName } from '../model/nb.ts';
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
    invariant(!this.#rows.has(draft.key), `two rows with the identity ${draft.key}`);
    const { file, line } = draft.from.origin.place;
    this.#rows.set(draft.key, {
      key: draft.key,
      table: draft.table,
      unit: draft.unit,
      columns: sortedRecord(presentColumns(draft.columns)),
      parent: draft.parent,
      source: { file, line },
    });
  }

  has(key: RowKey): boolean {
    return this.#rows.has(key);
  }

  /** The rows in canonical order. */
  toState(): NbState {
    return { rows: new Map([...this.#rows].toSorted(([a], [b]) => compareText(a, b))) };
  }
}

function presentColumns(columns: RowDraft['columns']): Record<string, NbValue> {
  const present: Record<string, NbValue> = {};
  for (const [column, value] of Object.entries(columns)) {
    if (value !== undefined && !isEmpty(value)) present[column] = value;
  }
  return present;
}

function isEmpty(value: NbValue): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
