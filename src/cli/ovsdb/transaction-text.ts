import { compareText } from '../../lib/order.ts';
import {
  type ColumnSchema,
  type Database,
  equalValues,
  type Row,
  type RowChange,
  stringifyJson,
  type Uuid,
} from '../../ovsdb/index.ts';
import { changeJson } from './change-json.ts';
import { changeLines, type ShownChange } from './change-text.ts';
import type { Ink } from './ink.ts';
import { rowLabel, shortUuid } from './row-label.ts';
import type { RefText } from './value-text.ts';
import type { WantedRows } from './wanted-rows.ts';
import { fulfils } from './where.ts';

/** Where changes come from: the first content, one transaction, or the time without a connection. */
export type ChangeKind = 'initial' | 'update' | 'resync';

/** What to show of a database's changes, and how. */
export interface TransactionSpec {
  readonly database: Database;
  readonly wanted: WantedRows;
  readonly uuids: boolean;
  readonly ink: Ink;
  readonly format: string;
}

/** A transaction as text or as a line of JSON; undefined when nothing in it is wanted. */
export function transactionText(
  spec: TransactionSpec,
  changes: readonly RowChange[],
  kind: ChangeKind,
  at: number,
): string | undefined {
  const { wanted, ink } = spec;
  const refText = refTextOf(spec, changes);
  const shown = changes
    .flatMap((change) => {
      const columns = wanted.selection.get(change.table);
      return columns === undefined || !isWanted(change, columns, wanted, refText)
        ? []
        : [{ ...change, columns, label: labelOf(spec, change) }];
    })
    .toSorted((a, b) => compareText(a.table, b.table) || compareText(a.label, b.label));
  if (shown.length === 0) return undefined;
  const time = new Date(at).toISOString();
  if (spec.format === 'jsonl') return `${stringifyJson({ time, kind, changes: shown.map(changeJson) })}\n`;
  const note =
    kind === 'update' ? '' : `  ${kind === 'initial' ? 'initial content' : 'while there was no connection'}`;
  const lines = shown.flatMap((change: ShownChange) => changeLines(change, refText, ink));
  return `${ink.faint(`${time.replace('T', ' ')}${note}`)}\n${lines.join('\n')}\n\n`;
}

function isWanted(
  { table, before, after }: RowChange,
  columns: readonly ColumnSchema[],
  { where }: WantedRows,
  refText: RefText,
): boolean {
  if (before !== undefined && after !== undefined) {
    const isSame = columns.every(({ name }) => equalValues(before[name], after[name]));
    if (isSame) return false;
  }
  return [before, after].some((row) => row !== undefined && fulfils(where, table, row, refText));
}

/** Rows that the transaction took away are named by what they were. */
function refTextOf(spec: TransactionSpec, changes: readonly RowChange[]): RefText {
  const { database, wanted } = spec;
  const changed = new Map(changes.map((change) => [change.uuid, change.after ?? change.before]));
  const rowOf = (table: string, uuid: Uuid): Row | undefined =>
    changed.get(uuid) ?? (table in wanted.tables ? database.row(table, uuid) : undefined);
  return (table, uuid) => {
    if (table === undefined || spec.uuids) return uuid;
    const row = rowOf(table, uuid);
    return row === undefined ? shortUuid(uuid) : nameOf(database, table, row);
  };
}

function labelOf({ database, uuids }: TransactionSpec, { table, uuid, before, after }: RowChange): string {
  const row = after ?? before;
  return uuids || row === undefined ? uuid : nameOf(database, table, row);
}

function nameOf(database: Database, table: string, row: Row): string {
  const schema = database.schema.tables.get(table);
  return (schema === undefined ? undefined : rowLabel(schema, row)) ?? shortUuid(row._uuid);
}
