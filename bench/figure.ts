/** What was measured of one stage at one size. */
export interface Figure {
  readonly stage: string;
  /** Wall-clock times of the runs, ms. */
  readonly wall: readonly number[];
  /** CPU times of this process in the same runs, ms. */
  readonly cpu: readonly number[];
  /** The same job done by the least that could do it, ms; absent where there is no such thing. */
  readonly rawWall?: readonly number[];
  readonly rawCpu?: readonly number[];
  /** MB on the heap after the stage, garbage collected, with what the stages so far hold. */
  readonly heapMb?: number;
  /** MB, the largest resident set of the process so far. */
  readonly peakRssMb?: number;
  readonly note?: string;
}

/** All figures of one size. */
export interface SizeFigures {
  readonly ports: number;
  readonly files: number;
  readonly bytes: number;
  readonly rows: number;
  readonly units: number;
  readonly loadAverage: number;
  /** What yardstick.ts took. */
  readonly yardstickMs: number;
  readonly figures: readonly Figure[];
}

/** The middle one; of an even number the upper of the two. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value below which that part of all values lies. */
export function percentile(values: readonly number[], part: number): number {
  const ordered = values.toSorted((a, b) => a - b);
  return ordered[Math.min(ordered.length - 1, Math.floor(ordered.length * part))] ?? Number.NaN;
}
