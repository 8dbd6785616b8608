import type { NbRow, NbState, NbValue, Ref, RowKey, UnitName } from '../model/nb.ts';
import { isRef } from './wire.ts';
import type { Holder, LiveNb, LiveRow, LiveValue } from '../model/live.ts';
import { identityMarks } from './marks.ts';
import { ownUuid, rowUuid } from './row-uuid.ts';

/**
 * The database as it is right after a desired state was written to an empty one: what a plan between two revisions is
 * made against, without any server.
 */
export function liveFromState(state: NbState, owner: string): LiveNb {
  const uuidOf = (key: RowKey): string => {
    const row = state.rows.get(key);
    return row === undefined ? rowUuid(owner, key) : ownUuid(owner, row);
  };
  const rows = new Map<string, LiveRow>();
  const holders = new Map<string, Holder[]>();
  const byUnit = new Map<UnitName, RowKey[]>();
  const children = childrenOf(state);
  for (const row of state.rows.values()) {
    const uuid = uuidOf(row.key);
    const columns = liveColumns(row, owner, uuidOf);
    for (const [column, keys] of children.get(row.key) ?? []) columns[column] = keys.map(uuidOf);
    rows.set(`${row.table} ${uuid}`, { table: row.table, uuid, columns });
    append(byUnit, row.unit, row.key);
    if (row.parent !== undefined) {
      const parent = state.rows.get(row.parent.key);
      const { key, column } = row.parent;
      append(holders, uuid, { table: parent?.table ?? '', uuid: uuidOf(key), column });
    }
  }
  const find = (key: RowKey): LiveRow | undefined => {
    const row = state.rows.get(key);
    return row === undefined ? undefined : rows.get(`${row.table} ${uuidOf(key)}`);
  };
  const byUuid = new Map([...state.rows.values()].map((row) => [`${row.table} ${uuidOf(row.key)}`, row]));
  return {
    withKey: (key) => {
      const row = find(key);
      return row === undefined ? [] : [row];
    },
    keysOf: (unit) => byUnit.get(unit) ?? [],
    row: (table, uuid) => rows.get(`${table} ${uuid}`),
    identity: (table, uuid) => byUuid.get(`${table} ${uuid}`),
    holders: (uuid) => holders.get(uuid) ?? [],
  };
}

function childrenOf(state: NbState): ReadonlyMap<RowKey, ReadonlyMap<string, readonly RowKey[]>> {
  const children = new Map<RowKey, Map<string, RowKey[]>>();
  for (const row of state.rows.values()) {
    if (row.parent === undefined) continue;
    const columns = children.get(row.parent.key) ?? new Map<string, RowKey[]>();
    append(columns, row.parent.column, row.key);
    children.set(row.parent.key, columns);
  }
  return children;
}

function append<K, T>(lists: Map<K, T[]>, key: K, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function liveColumns(
  row: NbRow,
  owner: string,
  uuidOf: (key: RowKey) => string,
): Record<string, LiveValue> & { _uuid: string } {
  const columns: Record<string, LiveValue> & { _uuid: string } = { _uuid: uuidOf(row.key) };
  for (const [column, value] of Object.entries(row.columns)) columns[column] = liveValue(value, uuidOf);
  columns['external_ids'] = new Map(Object.entries(identityMarks(owner, row)));
  return columns;
}

function liveValue(value: NbValue, uuidOf: (key: RowKey) => string): LiveValue {
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    return (value as readonly (string | Ref)[]).map((member) =>
      isRef(member) ? uuidOf(member.ref) : member,
    );
  }
  if (isRef(value)) return uuidOf(value.ref);
  return new Map(Object.entries(value as Readonly<Record<string, string>>));
}
