import { type Column, printTable } from '../print-table.ts';
import { SUBJECTS, type SubjectName } from './job.ts';
import type { Series } from './measure-figure.ts';
import { number, SUBJECT_TITLES, times } from './print-series.ts';
import { allCpuMs, countingMs, isNoisy, ratio, typical } from './series.ts';

/** MB of heap for 32,400 rows, and ms in which the event loop is not free. */
const [MOST_HEAP_MB, MOST_STALL_MS] = [12, 60];

/** Below that it matters most how long V8 takes to warm up. */
const FEWEST_PORTS = 20_000;

/** The typical times of all subjects, a line a figure and size. */
export function printSummary(all: readonly Series[]): string {
  const columns = [
    { title: 'ms', cell: ({ figure }: Series) => `${figure.key}: ${figure.title}` },
    { title: 'ports', cell: ({ ports }: Series) => grouped(ports) },
    ...SUBJECTS.map(timeOf),
    { title: '', cell: (series: Series) => (isNoisy(series) ? 'noisy' : '') },
  ];
  return printTable(columns, all);
}

function timeOf(subject: SubjectName): Column<Series> {
  return {
    title: SUBJECT_TITLES[subject],
    cell: (series) => number(typical(series, subject, countingMs)),
  };
}

/** What was agreed on, and whether it holds. */
export function printTargets(all: readonly Series[]): string {
  const targets = all.filter(({ ports }) => ports >= FEWEST_PORTS).flatMap(targetsOf);
  if (targets.length === 0) return `There are targets for ${grouped(FEWEST_PORTS)} ports and more.`;
  const columns = [
    { title: 'target', cell: ({ what }: Target) => what },
    { title: 'ports', cell: ({ series }: Target) => grouped(series.ports) },
    { title: 'wanted', cell: ({ most, least }: Target) => (most === undefined ? `≥ ${least}` : `≤ ${most}`) },
    { title: 'measured', cell: ({ value }: Target) => times(value) },
    { title: 'by CPU', cell: ({ byCpu }: Target) => times(byCpu) },
    { title: '', cell: verdict },
  ];
  return printTable(columns, targets);
}

interface Target {
  readonly series: Series;
  readonly what: string;
  readonly most?: number;
  readonly least?: number;
  readonly value: number | undefined;
  /** The same ratio of the CPU times of client and servers. */
  readonly byCpu?: number | undefined;
}

function verdict({ series, most = Infinity, least = 0, value }: Target): string {
  if (value === undefined) return 'not measured';
  return `${value <= most && value >= least ? 'met' : '**not met**'}${isNoisy(series) ? ', noisy' : ''}`;
}

function targetsOf(series: Series): readonly Target[] {
  const { bar, lead, key } = series.figure;
  const targets: Target[] = [];
  const between = (dividend: SubjectName, divisor: SubjectName): Pick<Target, 'value' | 'byCpu'> => ({
    value: ratio(series, dividend, divisor, countingMs),
    byCpu: ratio(series, dividend, divisor, allCpuMs),
  });
  if (bar !== undefined) {
    targets.push({
      series,
      what: `${key}: ours / raw, rows kept`,
      most: bar,
      ...between('ours', 'raw-rows'),
    });
  }
  if (lead !== undefined && series.measurements.has('python-idl')) {
    targets.push({
      series,
      what: `${key}: Python IDL / ours`,
      least: lead,
      ...between('python-idl', 'ours'),
    });
  }
  if (series.figure.task.kind === 'open') {
    const heap = typical(series, 'ours', ({ heapMb = Number.NaN, rows = 0 }) => (heapMb / rows) * 32_400);
    const stall = typical(series, 'ours', ({ stallMs }) => stallMs);
    targets.push({ series, what: 'g: MB of heap for 32,400 rows', most: MOST_HEAP_MB, value: heap });
    targets.push({
      series,
      what: 'g: longest stall of the event loop, ms',
      most: MOST_STALL_MS,
      value: stall,
    });
  }
  return targets;
}

function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
