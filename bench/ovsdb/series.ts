import { median } from '../figure.ts';
import type { Measurement, SubjectName } from './job.ts';
import type { Series } from './measure-figure.ts';

/** Above this the machine had other things to do: the bench itself keeps two processes busy at most. */
const NOISY_LOAD = 2.5;

/** Whether the load average was too high before or after. */
export function isNoisy({ load }: Series): boolean {
  return Math.max(...load) > NOISY_LOAD;
}

/** What counts of a measurement: the wall time, or of repetitions the median latency; ms. */
export function countingMs({ wallMs, latenciesMs }: Measurement): number {
  return latenciesMs === undefined ? wallMs : median(latenciesMs);
}

/** CPU time of subject and server together, ms: what a busy machine falsifies least. */
export function allCpuMs({ cpuMs, serverCpuMs }: Measurement): number {
  return cpuMs + serverCpuMs;
}

/** The median over the runs. */
export function typical(
  { measurements }: Series,
  subject: SubjectName,
  read: (measurement: Measurement) => number | undefined,
): number | undefined {
  const values = (measurements.get(subject) ?? []).map(read).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : median(values);
}

/** How many times as much one subject takes as the other: the median of the ratios of each run. */
export function ratio(
  { measurements }: Series,
  dividend: SubjectName,
  divisor: SubjectName,
  read: (measurement: Measurement) => number,
): number | undefined {
  const [above, below] = [measurements.get(dividend) ?? [], measurements.get(divisor) ?? []];
  const ratios = above.flatMap((one, run) => {
    const other = below[run];
    return other === undefined ? [] : [read(one) / read(other)];
  });
  return ratios.length === 0 ? undefined : median(ratios);
}
