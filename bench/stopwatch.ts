import { performance } from 'node:perf_hooks';
import type { Figure } from './figure.ts';

interface Runs {
  readonly wall: number[];
  readonly cpu: number[];
  readonly rawWall: number[];
  readonly rawCpu: number[];
  heapMb?: number;
  peakRssMb?: number;
  note?: string;
}

/** Wall-clock and CPU time of one piece of work, ms. */
export interface Elapsed {
  readonly wall: number;
  readonly cpu: number;
}

/** Collects the times of stages that are run several times. */
export class Stopwatch {
  readonly #stages = new Map<string, Runs>();

  /** Runs and times a piece of work of ours. */
  time<T>(stage: string, work: () => T): T {
    const [result, elapsed] = timed(work);
    this.record(stage, elapsed);
    return result;
  }

  /** Runs and times a piece of work that waits. */
  async timeAsync<T>(stage: string, work: () => Promise<T>): Promise<T> {
    const [result, elapsed] = await timedAsync(work);
    this.record(stage, elapsed);
    return result;
  }

  record(stage: string, { wall, cpu }: Elapsed): void {
    const runs = this.#runs(stage);
    runs.wall.push(wall);
    runs.cpu.push(cpu);
  }

  /** Records what the same job cost without us. */
  recordRaw(stage: string, { wall, cpu }: Elapsed): void {
    const runs = this.#runs(stage);
    runs.rawWall.push(wall);
    runs.rawCpu.push(cpu);
  }

  /** Notes how much memory is held now, after collecting garbage; needs --expose-gc. */
  weigh(stage: string): void {
    const runs = this.#runs(stage);
    globalThis.gc?.();
    runs.heapMb = process.memoryUsage().heapUsed / 2 ** 20;
    runs.peakRssMb ??= process.resourceUsage().maxRSS / 1024;
  }

  note(stage: string, note: string): void {
    this.#runs(stage).note = note;
  }

  /** In the order in which the stages were first seen. */
  figures(): readonly Figure[] {
    return [...this.#stages].map(([stage, { rawWall, rawCpu, ...runs }]) => ({
      stage,
      ...runs,
      ...(rawWall.length > 0 ? { rawWall, rawCpu } : {}),
    }));
  }

  #runs(stage: string): Runs {
    const known = this.#stages.get(stage);
    if (known !== undefined) return known;
    const runs: Runs = { wall: [], cpu: [], rawWall: [], rawCpu: [] };
    this.#stages.set(stage, runs);
    return runs;
  }
}

/** Runs a piece of work and says how long it took. */
export function timed<T>(work: () => T): [T, Elapsed] {
  const stop = start();
  const result = work();
  return [result, stop()];
}

/** Runs a piece of work that waits and says how long it took. */
export async function timedAsync<T>(work: () => Promise<T>): Promise<[T, Elapsed]> {
  const stop = start();
  const result = await work();
  return [result, stop()];
}

function start(): () => Elapsed {
  const cpu = process.cpuUsage();
  const wall = performance.now();
  return () => {
    const elapsed = performance.now() - wall;
    const { user, system } = process.cpuUsage(cpu);
    return { wall: elapsed, cpu: (user + system) / 1000 };
  };
}
