import { spawnSync } from 'node:child_process';
import os from 'node:os';
import { parseArgs } from 'node:util';
import { median, percentile } from '../figure.ts';
import { type Column, printTable } from '../print-table.ts';
import type { Elapsed } from '../stopwatch.ts';
import { yardstick } from '../yardstick.ts';
import { measureChanges } from './measure-changes.ts';
import { STAGES, type Stage } from './stages.ts';

const { values: options } = parseArgs({
  options: {
    /** Numbers of ports. */
    sizes: { type: 'string', default: '1000,20000,100000' },
    changes: { type: 'string', default: '30' },
    /** Measures this one size and prints JSON: how a size gets a process, and so a heap, of its own. */
    only: { type: 'string' },
  },
});

if (options.only === undefined) measureAll(options.sizes.split(',').map(Number));
else await measureOne(Number(options.only), Number(options.changes));

/** Of one stage: medians, and the 90th percentile of the wall-clock time, ms. */
interface StageFigure {
  readonly wall: number;
  readonly cpu: number;
  readonly slow: number;
}

type Line = Stage | 'total';

interface ChangeFigures {
  readonly ports: number;
  readonly stages: Readonly<Record<Line, StageFigure>>;
  readonly yardstickMs: number;
}

async function measureOne(ports: number, changes: number): Promise<void> {
  const measured = await measureChanges(ports, changes);
  const stages = Object.fromEntries([
    ...STAGES.map((stage) => [stage, figureOf(measured.map((times) => times.get(stage)))]),
    ['total', figureOf(measured.map((times) => times.total()))],
  ]) as ChangeFigures['stages'];
  const yardstickMs = median([yardstick(), yardstick(), yardstick()]);
  process.stdout.write(JSON.stringify({ ports, stages, yardstickMs } satisfies ChangeFigures));
}

function figureOf(times: readonly Elapsed[]): StageFigure {
  const wall = times.map((each) => each.wall);
  return { wall: median(wall), cpu: median(times.map(({ cpu }) => cpu)), slow: percentile(wall, 0.9) };
}

function measureAll(sizes: readonly number[]): void {
  const figures = sizes.map((size) => {
    const words = [...process.execArgv, ...process.argv.slice(1), '--only', String(size)];
    const child = spawnSync(process.execPath, words, {
      stdio: ['ignore', 'pipe', 'inherit'],
      encoding: 'utf8',
    });
    if (child.status !== 0) throw new Error(`measuring ${size} ports failed`);
    return JSON.parse(child.stdout) as ChangeFigures;
  });
  const columns = figures.flatMap(({ ports, stages }): readonly Column<Line>[] => {
    const title = `${ports.toLocaleString('en-US')} ports:`;
    return [
      { title: `${title} ms`, cell: (line) => stages[line].wall.toFixed(2) },
      { title: '90 %', cell: (line) => stages[line].slow.toFixed(2) },
      { title: 'CPU ms', cell: (line) => stages[line].cpu.toFixed(2) },
    ];
  });
  const lines: readonly Line[] = [...STAGES, 'total'];
  const yardsticks = figures.map(({ yardstickMs }) => yardstickMs.toFixed(0)).join(', ');
  const load = os.loadavg()[0]?.toFixed(1);
  console.log(printTable([{ title: 'stage', cell: (line) => line }, ...columns], lines));
  console.log(`\n${options.changes} one-line commits each; load average ${load}; yardstick ${yardsticks} ms`);
}
