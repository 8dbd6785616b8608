import { type ColumnSchema, equalValues, type Row } from '../../ovsdb/index.ts';
import type { Ink } from './ink.ts';
import { type RefText, valueLines } from './value-text.ts';

/** The columns of a row, one to a line or more; those at their default are left out unless `defaults`. */
export function rowLines(
  columns: readonly ColumnSchema[],
  row: Row,
  refText: RefText,
  ink: Ink,
  { defaults }: { readonly defaults: boolean },
): readonly string[] {
  const shown = columns.filter(({ name, defaultValue }) => defaults || !equalValues(row[name], defaultValue));
  const width = nameWidth(shown);
  return shown.flatMap((column) =>
    columnLines(column, valueLines(column, row[column.name], refText, width + 4).map(ink.plain), width, ink),
  );
}

/** A column's name and what stands beside it; further lines are indented. */
export function columnLines(
  { name }: ColumnSchema,
  [first = '', ...others]: readonly string[],
  width: number,
  ink: Ink,
): readonly string[] {
  return [
    `  ${ink.faint(name.padEnd(width))}  ${first}`.trimEnd(),
    ...others.map((line) => `${' '.repeat(width + 4)}${line}`),
  ];
}

/** How wide the longest name is. */
export function nameWidth(columns: readonly ColumnSchema[]): number {
  return Math.max(0, ...columns.map(({ name }) => name.length));
}
