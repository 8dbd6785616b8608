import { type Figure, median, percentile, type SizeFigures } from './figure.ts';

const HEADER = [
  'stage',
  'wall ms',
  'min–max',
  'CPU ms',
  'raw ms',
  'ours/raw',
  'CPU ours/raw',
  'heap MB',
  'peak RSS MB',
  '',
];

/** The figures of one size as a Markdown table, padded so that it is readable as text too. */
export function printFigures(size: SizeFigures): string {
  const rows = [HEADER, ...size.figures.map(cells)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const { ports, files, bytes, rows: nbRows, units, loadAverage, yardstickMs } = size;
  const facts = [
    `${files} files`,
    `${(bytes / 2 ** 20).toFixed(1)} MB of YAML`,
    `${grouped(nbRows)} rows`,
    `${units} units`,
    `load average ${loadAverage.toFixed(1)}`,
    `yardstick ${yardstickMs.toFixed(0)} ms`,
  ].join(', ');
  return [`${grouped(ports)} ports: ${facts}`, '', lines[0], rule, ...lines.slice(1)].join('\n');
}

function cells({ stage, wall, cpu, rawWall, rawCpu, heapMb, peakRssMb, note }: Figure): readonly string[] {
  return [
    stage,
    number(median(wall)),
    `${number(percentile(wall, 0))}–${number(percentile(wall, 0.99))}`,
    number(median(cpu)),
    rawWall === undefined ? '' : number(median(rawWall)),
    rawWall === undefined ? '' : (median(wall) / median(rawWall)).toFixed(2),
    rawCpu === undefined ? '' : (median(cpu) / median(rawCpu)).toFixed(2),
    heapMb?.toFixed(0) ?? '',
    peakRssMb?.toFixed(0) ?? '',
    note ?? '',
  ];
}

/** Three significant digits are more than such a measurement has. */
function number(value: number): string {
  if (value >= 100) return grouped(Math.round(value));
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
