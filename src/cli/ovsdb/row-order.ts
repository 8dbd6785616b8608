import { compareText } from '../../lib/order.ts';
import type { ColumnSchema, Row, TableSchema } from '../../ovsdb/index.ts';
import { rowLabel } from './row-label.ts';
import { memberTexts, type RefText } from './value-text.ts';

/** Rows in canonical order: by what they are called, then by content, then by uuid. */
export function inOrder(
  table: TableSchema,
  columns: readonly ColumnSchema[],
  rows: Iterable<Row>,
  refText: RefText,
): readonly Row[] {
  const entries = [...rows].map((row) => ({ row, label: rowLabel(table, row) ?? '', content: '' }));
  // Content is only looked at where the labels leave the order open.
  const contentOf = (entry: (typeof entries)[number]): string =>
    (entry.content ||= columns
      .map((column) => memberTexts(column, entry.row[column.name], refText).join('\u0001'))
      .join('\u0002'));
  return entries
    .toSorted(
      (a, b) =>
        compareText(a.label, b.label) ||
        compareText(contentOf(a), contentOf(b)) ||
        compareText(a.row._uuid, b.row._uuid),
    )
    .map(({ row }) => row);
}
