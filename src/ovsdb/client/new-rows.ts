import type { Condition, Mutation, Operation } from '../protocol/operation.ts';
import type { BaseType, ColumnSchema, DatabaseSchema, TableSchema } from '../protocol/schema.ts';
import type { WireAtom, WireRow, WireValue } from '../protocol/value.ts';

/**
 * Rewrites operations that choose the uuids of their new rows for a server that does not let them: the rows get names,
 * and references to them become references to the names (RFC 7047 5.1 `<named-uuid>`), also those before the insert.
 */
export function nameNewRows(schema: DatabaseSchema, operations: readonly Operation[]): readonly Operation[] {
  const names = new Map<string, string>();
  for (const operation of operations) {
    if (operation.op === 'insert' && operation.uuid !== undefined)
      names.set(operation.uuid, `row_${names.size}`);
  }
  return names.size === 0 ? operations : operations.map((each) => named(schema, each, names));
}

type Names = ReadonlyMap<string, string>;

function named(schema: DatabaseSchema, operation: Operation, names: Names): Operation {
  if (!('table' in operation)) return operation;
  const table = schema.tables.get(operation.table);
  if (table === undefined) return operation;
  switch (operation.op) {
    case 'insert': {
      const { uuid, ...rest } = operation;
      const row = namedRow(table, operation.row, names);
      return uuid === undefined ? { ...rest, row } : { ...rest, row, 'uuid-name': names.get(uuid) as string };
    }
    case 'update':
      return {
        ...operation,
        where: namedTriples(table, operation.where, names),
        row: namedRow(table, operation.row, names),
      };
    case 'mutate':
      return {
        ...operation,
        where: namedTriples(table, operation.where, names),
        mutations: namedTriples(table, operation.mutations, names),
      };
    case 'select':
    case 'delete':
      return { ...operation, where: namedTriples(table, operation.where, names) };
    case 'wait':
      // Comes before every insert, so it cannot be about a new row.
      return operation;
  }
}

function namedRow(table: TableSchema, row: WireRow, names: Names): WireRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, namedValue(table.columns.get(name), value, names)]),
  );
}

function namedTriples<Triple extends Condition | Mutation>(
  table: TableSchema,
  triples: readonly Triple[],
  names: Names,
): readonly Triple[] {
  return triples.map(([name, verb, value]) => {
    const renamed =
      name === '_uuid'
        ? namedAtom(value as WireAtom, names)
        : namedValue(table.columns.get(name), value, names);
    return [name, verb, renamed] as unknown as Triple;
  });
}

/** By the column's types: a text that looks like a reference is none. */
function namedValue(column: ColumnSchema | undefined, value: WireValue, names: Names): WireValue {
  if (column === undefined || !Array.isArray(value)) return value;
  const [kind, members] = value as unknown as readonly [string, never];
  const rename = (base: BaseType | undefined, atom: WireAtom): WireAtom =>
    base?.type === 'uuid' ? namedAtom(atom, names) : atom;
  if (kind === 'set')
    return ['set', (members as readonly WireAtom[]).map((atom) => rename(column.key, atom))];
  if (kind === 'map') {
    const pairs = members as readonly (readonly [WireAtom, WireAtom])[];
    return ['map', pairs.map(([k, v]) => [rename(column.key, k), rename(column.value, v)])];
  }
  return rename(column.key, value as WireAtom);
}

function namedAtom(atom: WireAtom, names: Names): WireAtom {
  const name = Array.isArray(atom) && atom[0] === 'uuid' ? names.get(String(atom[1])) : undefined;
  return name === undefined ? atom : ['named-uuid', name];
}
