import type { Atom, Row, TableSchema, Uuid } from '../../ovsdb/index.ts';

/** The columns that `rowLabel` looks at. */
export function labelColumns(table: TableSchema): readonly string[] {
  const names = ['name', ...(plainIndex(table) ?? []), 'external_ids'];
  return [...new Set(names)].filter((name) => table.columns.has(name));
}

/**
 * What people call a row, on one line, so that no row can pretend to be several: its name, the values of its first index, or the name that its external_ids hold (as rows of a
 * Southbound do); undefined when it has none of these.
 */
export function rowLabel(table: TableSchema, row: Row): string | undefined {
  const label = ownName(table, row);
  return label === undefined || !/\p{Cc}/u.test(label) ? label : JSON.stringify(label);
}

function ownName(table: TableSchema, row: Row): string | undefined {
  const name = row['name'];
  if (typeof name === 'string' && name !== '') return name;
  const ids = row['external_ids'];
  const id = ids instanceof Map ? (ids as ReadonlyMap<unknown, unknown>).get('name') : undefined;
  const index = (plainIndex(table) ?? []).map((column) => String((row[column] as Atom | undefined) ?? ''));
  const isNumber = index.every((part) => /^\d*$/.test(part));
  if (typeof id === 'string' && id !== '' && isNumber) return id;
  return index.some((part) => part !== '') ? index.join('/') : undefined;
}

/** The first digits of a uuid, which ovs-vsctl and ovn-nbctl take for the whole. */
export function shortUuid(uuid: Uuid): string {
  return `#${uuid.slice(0, 8)}`;
}

/** The first index whose columns are no references, so that its values mean something to people. */
function plainIndex(table: TableSchema): readonly string[] | undefined {
  return table.indexes.find((columns) =>
    columns.every((name) => {
      const column = table.columns.get(name);
      return (
        column !== undefined && column.kind !== 'map' && column.kind !== 'set' && column.key.type !== 'uuid'
      );
    }),
  );
}
