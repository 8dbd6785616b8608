import {
  decodeValue,
  type DatabaseSchema,
  type Operation,
  type OperationResult,
  type Row,
  type TransactOutcome,
  type Uuid,
  type Value,
  type WireRow,
} from '../../ovsdb/index.ts';
import { compareText } from '../../lib/order.ts';
import type { Ink } from './ink.ts';
import { rowLines } from './row-text.ts';

/** What each operation answered, a line each and the rows of selects below; for operations that were carried out. */
export function resultLines(
  schema: DatabaseSchema,
  operations: readonly Operation[],
  results: readonly (OperationResult | null)[],
  ink: Ink,
): readonly string[] {
  const names = operations.map(operationName);
  const width = Math.max(...names.map((name) => name.length));
  const digits = String(operations.length - 1).length;
  return results.flatMap((result, at) => {
    const operation = operations[at];
    if (operation === undefined) return [];
    const head = `  ${String(at).padStart(digits)}  ${ink.plain((names[at] ?? '').padEnd(width))}`;
    if (result === null) return [`${head}  ${ink.faint('not carried out')}`];
    if (result.error !== undefined && result.error !== null) {
      const text = [result.error, result.details]
        .filter((part) => part !== undefined && part !== '')
        .join(': ');
      return [`${head}  ${ink.removed(text)}`];
    }
    return [`${head}  ${answerText(result)}`.trimEnd(), ...selectedRows(schema, operation, result, ink)];
  });
}

/** An operation in a few words: `insert Logical_Switch`. */
export function operationName(operation: Operation): string {
  return 'table' in operation ? `${operation.op} ${operation.table}` : operation.op;
}

/** The outcome as JSON for programs, results as servers write them (RFC 7047 4.1.3). */
export function outcomeJson(outcome: TransactOutcome): unknown {
  const { kind, ...members } = outcome;
  return { outcome: kind, ...members };
}

function answerText({ uuid, count, rows }: OperationResult): string {
  if (uuid !== undefined) return uuid[1];
  if (rows !== undefined) return counted(rows.length, 'row');
  return count === undefined ? 'done' : counted(count, 'row');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function selectedRows(
  schema: DatabaseSchema,
  operation: Operation,
  { rows = [] }: OperationResult,
  ink: Ink,
): readonly string[] {
  const table = operation.op === 'select' ? schema.tables.get(operation.table) : undefined;
  if (table === undefined) return [];
  return rows.flatMap((wire: WireRow) => {
    const uuid = (wire['_uuid'] as readonly [string, string] | undefined)?.[1] ?? '';
    const columns = [...table.columns.values()]
      .filter(({ name }) => wire[name] !== undefined)
      .toSorted((a, b) => compareText(a.name, b.name));
    const values: Record<string, Value> = { _uuid: uuid };
    for (const column of columns) values[column.name] = decodeValue(column, wire[column.name]);
    const lines = rowLines(columns, values as Row, (_table, target: Uuid) => target, ink, { defaults: true });
    return [
      '',
      `    ${ink.strong(`${table.name} ${uuid}`.trimEnd())}`,
      ...lines.map((line) => `    ${line}`),
    ];
  });
}
