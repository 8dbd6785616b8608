import { compareText, sortedRecord } from '../lib/order.ts';
import type { NbRow, NbState, NbValue, Ref, RowKey } from '../model/nb.ts';
import { append } from './topology.ts';

/** A column as people read it: references are row keys. */
export type RenderedValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;

/** Rows by table and key, columns in OVSDB spelling. */
export type RenderedNb = Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, RenderedValue>>>>>
>;

/** Writes rows as OVSDB would hold them: sets that hold other rows (ports, acls, nat, ...) are derived from those rows. */
export function renderNb(nb: NbState): RenderedNb {
  const children = childrenByParent(nb.rows.values());
  const tables: Record<string, Record<string, Readonly<Record<string, RenderedValue>>>> = {};
  for (const row of nb.rows.values()) {
    const columns: Record<string, RenderedValue> = {};
    for (const [column, value] of Object.entries(row.columns)) columns[column] = renderValue(value);
    for (const [column, keys] of children.get(row.key) ?? []) columns[column] = keys.toSorted(compareText);
    tables[row.table] ??= {};
    const table = tables[row.table];
    if (table !== undefined) table[row.key] = sortedRecord(columns);
  }
  return sortedRecord(tables);
}

type ChildrenByColumn = Map<string, RowKey[]>;

function childrenByParent(rows: Iterable<NbRow>): ReadonlyMap<RowKey, ChildrenByColumn> {
  const children = new Map<RowKey, ChildrenByColumn>();
  for (const { key, parent } of rows) {
    if (parent === undefined) continue;
    const columns: ChildrenByColumn = children.get(parent.key) ?? new Map();
    append(columns, parent.column, key);
    children.set(parent.key, columns);
  }
  return children;
}

function renderValue(value: NbValue): RenderedValue {
  if (typeof value !== 'object') return value;
  if (isSet(value)) return value.map((member) => (typeof member === 'string' ? member : member.ref));
  return isRef(value) ? value.ref : value;
}

function isSet(value: object): value is readonly (string | Ref)[] {
  return Array.isArray(value);
}

function isRef(value: Ref | Readonly<Record<string, string>>): value is Ref {
  return 'ref' in value;
}
