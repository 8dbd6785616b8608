/** One column: its title, and what it says of a line. */
export interface Column<T> {
  readonly title: string;
  readonly cell: (line: T) => string;
}

/** A Markdown table, padded so that it is readable as text too; columns without any content are left out. */
export function printTable<T>(columns: readonly Column<T>[], lines: readonly T[]): string {
  const filled = columns.filter(({ cell }) => lines.some((line) => cell(line) !== ''));
  const rows = [
    filled.map(({ title }) => title),
    ...lines.map((line) => filled.map(({ cell }) => cell(line))),
  ];
  const widths = filled.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const [header, ...body] = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  return [header, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n');
}
