import { invariant } from '../../lib/invariant.ts';
import { decodeValue } from './notation.ts';
import type { OperationResult } from './operation.ts';
import type { TableSchema } from './schema.ts';
import { ProtocolError, type Value, type WireRow } from './value.ts';

/** A row that a `select` answered with: the columns that were asked for, `_uuid` and `_version` as texts. */
export type SelectedRow = Readonly<Record<string, Value>>;

/**
 * Reads what a `select` answered (RFC 7047 5.2.2).
 *
 * @throws ProtocolError when the rows do not fit the table.
 */
export function selectedRows(table: TableSchema, result: OperationResult): readonly SelectedRow[] {
  invariant(result.rows !== undefined, 'the result is not one of a select');
  return result.rows.map((row) => decodeRow(table, row));
}

/**
 * Reads the columns that a row has.
 *
 * @throws ProtocolError when a value does not fit its column, or the table has no such column.
 */
export function decodeRow(table: TableSchema, wire: WireRow): SelectedRow {
  const entries = Object.entries(wire).map(([name, value]): readonly [string, Value] => {
    if (name === '_uuid' || name === '_version') return [name, Array.isArray(value) ? String(value[1]) : ''];
    const column = table.columns.get(name);
    if (column === undefined) throw new ProtocolError(`table ${table.name} has no column ${name}`);
    return [name, decodeValue(column, value)];
  });
  return Object.fromEntries(entries);
}
