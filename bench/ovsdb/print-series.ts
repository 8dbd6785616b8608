import { percentile } from '../figure.ts';
import { type Column, printTable } from '../print-table.ts';
import type { Measurement, SubjectName } from './job.ts';
import type { Series } from './measure-figure.ts';
import { allCpuMs, countingMs, isNoisy, ratio, typical } from './series.ts';

/** What people are told the subjects are. */
export const SUBJECT_TITLES: Readonly<Record<SubjectName, string>> = {
  ours: 'ovn-gitops/ovsdb',
  planner: 'the reconciler’s planner',
  raw: 'raw, nothing kept',
  'raw-rows': 'raw, rows kept',
  'python-idl': 'Python IDL',
  ovsdbapp: 'ovsdbapp',
  'ovn-nbctl': 'ovn-nbctl, a process each',
  'ovn-nbctl-daemon': 'ovn-nbctl, daemon',
};

/** A heading, what the machine was like, and a table with a line a subject. */
export function printSeries(series: Series): string {
  const { figure, ports, load, runs, failures } = series;
  const noise = isNoisy(series) ? ' **Noisy**: the machine was busy with other things.' : '';
  const facts = `${runs} runs; load average ${load.map((each) => each.toFixed(1)).join(' to ')}.${noise}`;
  return [
    `### ${figure.key} at ${ports.toLocaleString('en-US')} ports: ${figure.title}`,
    [facts, ...[...failures].map(([subject]) => `${SUBJECT_TITLES[subject]} failed.`)].join(' '),
    printTable(columnsOf(series), [...series.measurements.keys()]),
  ].join('\n\n');
}

function columnsOf(series: Series): readonly Column<SubjectName>[] {
  const { figure, measurements } = series;
  const isEach = 'count' in figure.task;
  const median = (read: (one: Measurement) => number | undefined) => (subject: SubjectName) =>
    number(typical(series, subject, read));
  return [
    { title: 'subject', cell: (subject) => SUBJECT_TITLES[subject] },
    { title: isEach ? 'p50 ms' : 'wall ms', cell: median(countingMs) },
    { title: 'min–max', cell: (subject) => range((measurements.get(subject) ?? []).map(countingMs)) },
    ...(isEach
      ? [{ title: 'p99 ms', cell: median(({ latenciesMs }) => percentile(latenciesMs ?? [], 0.99)) }]
      : []),
    { title: '× raw, rows kept', cell: (subject) => times(ratio(series, subject, 'raw-rows', countingMs)) },
    { title: '× ours', cell: (subject) => times(ratio(series, subject, 'ours', countingMs)) },
    { title: 'CPU ms', cell: median((one) => each(one, one.cpuMs)) },
    { title: 'server CPU ms', cell: median((one) => each(one, one.serverCpuMs)) },
    {
      title: 'all CPU × raw, rows kept',
      cell: (subject) => times(ratio(series, subject, 'raw-rows', (one) => each(one, allCpuMs(one)))),
    },
    { title: 'bytes in', cell: median((one) => each(one, one.bytesIn)) },
    { title: 'bytes out', cell: median((one) => each(one, one.bytesOut)) },
    { title: 'peak RSS MB', cell: median(({ peakRssMb }) => peakRssMb) },
    { title: 'rows', cell: median(({ rows }) => rows) },
    { title: 'heap MB', cell: median(({ heapMb }) => heapMb) },
    { title: 'longest stall ms', cell: median(({ stallMs }) => stallMs) },
    { title: '', cell: (subject) => measurements.get(subject)?.[0]?.note ?? '' },
  ];
}

/** What one repetition took of what the whole task took. */
function each<T extends number | undefined>({ latenciesMs }: Measurement, total: T): T | number {
  return total === undefined ? total : total / (latenciesMs?.length ?? 1);
}

function range(values: readonly number[]): string {
  return `${number(Math.min(...values))}–${number(Math.max(...values))}`;
}

/** A ratio, or nothing. */
export function times(value: number | undefined): string {
  return value === undefined || !Number.isFinite(value) ? '' : value.toFixed(2);
}

/** Three significant digits are more than such a measurement has. */
export function number(value: number | undefined): string {
  if (value === undefined) return '';
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  if (value === 0) return '0';
  return value >= 10 ? value.toFixed(1) : value.toFixed(value >= 1 ? 2 : 3);
}
