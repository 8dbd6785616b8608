import { median, percentile } from '../figure.ts';
import { type Column, printTable } from '../print-table.ts';
import type { Measurement, SubjectName } from './job.ts';
import type { Series } from './measure-figure.ts';

/** Above this the machine had other things to do: the bench itself keeps two processes busy at most. */
const NOISY_LOAD = 2.5;

/** What people are told the subjects are. */
export const SUBJECT_TITLES: Readonly<Record<SubjectName, string>> = {
  ours: 'ovn-gitops/ovsdb',
  planner: 'the reconciler’s planner',
  raw: 'raw, nothing kept',
  'raw-rows': 'raw, rows kept',
  'python-idl': 'Python IDL',
  ovsdbapp: 'ovsdbapp',
  'ovn-nbctl': 'ovn-nbctl, a process a command',
  'ovn-nbctl-daemon': 'ovn-nbctl, daemon',
};

/** A heading, what the machine was like, and a table with a line a subject. */
export function printSeries(series: Series): string {
  const { figure, ports, load } = series;
  const runs = series.measurements.get('ours')?.length ?? 0;
  const noise = isNoisy(series) ? ' **Noisy**: the machine was busy with other things.' : '';
  const facts = `${runs} runs; load average ${load.map((each) => each.toFixed(1)).join(' to ')}.${noise}`;
  const lines = [...series.measurements].filter(([, measurements]) => measurements.length > 0);
  return [
    `### (${figure.key}) ${figure.title}: ${ports.toLocaleString('en-US')} ports`,
    facts,
    printTable(columnsOf(series), lines),
  ].join('\n\n');
}

/** Whether the load average was too high before or after. */
export function isNoisy({ load }: Series): boolean {
  return Math.max(...load) > NOISY_LOAD;
}

/** What counts of a subject: the median over the runs of the wall time, or of each run's median latency; ms. */
export function typicalMs(series: Series, subject: SubjectName): number | undefined {
  const measurements = series.measurements.get(subject) ?? [];
  return measurements.length === 0 ? undefined : median(measurements.map(countingMs));
}

/** How many times as long `slower` takes as `faster`. */
export function ratio(series: Series, slower: SubjectName, faster: SubjectName): number | undefined {
  const [dividend, divisor] = [typicalMs(series, slower), typicalMs(series, faster)];
  return dividend === undefined || divisor === undefined ? undefined : dividend / divisor;
}

function countingMs({ wallMs, latenciesMs }: Measurement): number {
  return latenciesMs === undefined ? wallMs : median(latenciesMs);
}

type Line = readonly [SubjectName, readonly Measurement[]];

function columnsOf(series: Series): readonly Column<Line>[] {
  const isEach = [...series.measurements.values()].some((all) => all[0]?.latenciesMs !== undefined);
  return [
    { title: 'subject', cell: ([subject]) => SUBJECT_TITLES[subject] },
    { title: isEach ? 'p50 ms' : 'wall ms', cell: medianOf(countingMs) },
    { title: 'min–max', cell: ([, all]) => range(all.map(countingMs)) },
    ...(isEach
      ? [{ title: 'p99 ms', cell: medianOf(({ latenciesMs }) => percentile(latenciesMs ?? [], 0.99)) }]
      : []),
    { title: '× raw, rows kept', cell: ([subject]) => times(ratio(series, subject, 'raw-rows')) },
    { title: '× ours', cell: ([subject]) => times(ratio(series, subject, 'ours')) },
    { title: 'CPU ms', cell: medianOf((one) => each(one, one.cpuMs)) },
    { title: 'server CPU ms', cell: medianOf((one) => each(one, one.serverCpuMs)) },
    { title: 'all CPU × raw, rows kept', cell: ([subject]) => times(cpuRatio(series, subject)) },
    { title: 'bytes in', cell: medianOf((one) => each(one, one.bytesIn)) },
    { title: 'bytes out', cell: medianOf((one) => each(one, one.bytesOut)) },
    { title: 'peak RSS MB', cell: medianOf(({ peakRssMb }) => peakRssMb) },
    { title: 'rows', cell: medianOf(({ rows }) => rows) },
    { title: 'heap MB', cell: medianOf(({ heapMb }) => heapMb) },
    { title: 'longest stall ms', cell: medianOf(({ stallMs }) => stallMs) },
    { title: '', cell: ([, all]) => all[0]?.note ?? '' },
  ];
}

/** The median of what is read from a subject's measurements; empty when there is nothing. */
function medianOf(read: (measurement: Measurement) => number | undefined): (line: Line) => string {
  return ([, measurements]) => {
    const values = measurements.map(read).filter((value) => value !== undefined);
    return values.length === 0 ? '' : number(median(values));
  };
}

/** What one repetition took of what the whole task took. */
function each<T extends number | undefined>({ latenciesMs }: Measurement, total: T): T | number {
  return total === undefined ? total : total / (latenciesMs?.length ?? 1);
}

/** CPU time of subject and server together, against raw with rows: what a busy machine falsifies least. */
function cpuRatio({ measurements }: Series, subject: SubjectName): number | undefined {
  const [own, raw] = [subject, 'raw-rows' as const].map((name) =>
    (measurements.get(name) ?? []).map(({ cpuMs, serverCpuMs }) => cpuMs + serverCpuMs),
  );
  return own?.[0] === undefined || raw?.[0] === undefined ? undefined : median(own) / median(raw);
}

function range(values: readonly number[]): string {
  return `${number(Math.min(...values))}–${number(Math.max(...values))}`;
}

function times(value: number | undefined): string {
  return value === undefined ? '' : value.toFixed(2);
}

/** Three significant digits are more than such a measurement has. */
function number(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value >= 10 ? value.toFixed(1) : value.toFixed(value >= 1 ? 2 : 3);
}
