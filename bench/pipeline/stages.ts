import { performance } from 'node:perf_hooks';
import { Compiler } from '../../src/compile/compiler.ts';
import { DesiredRows } from '../../src/plan/desired.ts';
import { Validation } from '../../src/spec/validate.ts';
import type { Elapsed } from '../stopwatch.ts';

/** What a commit passes on its way to the Northbound, in this order. */
export const STAGES = [
  'fetch',
  'list',
  'parse',
  'check',
  'compile',
  'index',
  'open the Northbound',
  'plan all units',
  'accept: NB reply',
  'plan the unit',
  'build',
  'commit: NB reply',
] as const;
export type Stage = (typeof STAGES)[number];

/** The times of one change by stage. */
export class StageTimes {
  readonly #times = new Map<Stage, Elapsed>();

  add(stage: Stage, { wall, cpu }: Elapsed): void {
    const before = this.#times.get(stage) ?? { wall: 0, cpu: 0 };
    this.#times.set(stage, { wall: before.wall + wall, cpu: before.cpu + cpu });
  }

  get(stage: Stage): Elapsed {
    return this.#times.get(stage) ?? { wall: 0, cpu: 0 };
  }

  /** Times `work`, without the stages that were timed inside. */
  async time<T>(stage: Stage, work: () => Promise<T> | T): Promise<T> {
    const inside = this.total();
    const stop = start();
    const result = await work();
    const { wall, cpu } = stop();
    const timed = this.total();
    this.add(stage, { wall: wall - timed.wall + inside.wall, cpu: cpu - timed.cpu + inside.cpu });
    return result;
  }

  timeNow<T>(stage: Stage, work: () => T): T {
    const stop = start();
    const result = work();
    this.add(stage, stop());
    return result;
  }

  /** Of all stages together. */
  total(): Elapsed {
    const all = [...this.#times.values()];
    return {
      wall: all.reduce((sum, { wall }) => sum + wall, 0),
      cpu: all.reduce((sum, { cpu }) => sum + cpu, 0),
    };
  }
}

/** Has the stages that DesiredRevisions runs inside timed by whatever `times` gives then. */
export function watchStages(times: () => StageTimes): void {
  watch(Validation.prototype, 'validate', 'check', times);
  watch(Compiler.prototype, 'compile', 'compile', times);
  watch(DesiredRows.prototype, 'with', 'index', times);
}

function watch(prototype: object, name: string, stage: Stage, times: () => StageTimes): void {
  const original = Reflect.get(prototype, name) as (...words: unknown[]) => unknown;
  const timed = function (this: unknown, ...words: unknown[]): unknown {
    return times().timeNow(stage, () => original.apply(this, words));
  };
  Object.assign(prototype, { [name]: timed });
}

function start(): () => Elapsed {
  const cpu = process.cpuUsage();
  const wall = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { wall: performance.now() - wall, cpu: (user + system) / 1000 };
  };
}
