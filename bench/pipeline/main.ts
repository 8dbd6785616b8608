import { spawnSync } from 'node:child_process';
import os from 'node:os';
import { parseArgs } from 'node:util';
import { median, percentile } from '../figure.ts';
import { printTable } from '../print-table.ts';
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

interface ChangeFigures {
  readonly ports: number;
  readonly stages: Readonly<Record<Stage | 'total', StageFigure>>;
  readonly yardstickMs: number;
}

async function measureOne(ports: number, changes: number): Promise<void> {
  const measured = await measureChanges(ports, changes);
  const figure = (wall: readonly number[], cpu: readonly number[]): StageFigure => ({
    wall: median(wall),
    cpu: median(cpu),
    slow: percentile(wall, 0.9),
  });
  const stages = STAGES.map((stage): [Stage | 'total', StageFigure] => {
    const times = measured.map((each) => each.get(stage));
    return [
      stage,
      figure(
        times.map(({ wall }) => wall),
        times.map(({ cpu }) => cpu),
      ),
    ];
  });
  const totals = measured.map((each) =>
    STAGES.map((stage) => each.get(stage)).reduce((sum, { wall, cpu }) => ({
      wall: sum.wall + wall,
      cpu: sum.cpu + cpu,
    })),
  );
  stages.push([
    'total',
    figure(
      totals.map(({ wall }) => wall),
      totals.map(({ cpu }) => cpu),
    ),
  ]);
  const figures = {
    ports,
    stages: Object.fromEntries(stages),
    yardstickMs: median([yardstick(), yardstick(), yardstick()]),
  };
  process.stdout.write(JSON.stringify(figures));
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
  const column = (ports: string, show: (figure: StageFigure) => number, each: ChangeFigures) => ({
    title: `${each.ports.toLocaleString('en-US')} ports: ${ports}`,
    cell: (stage: Stage | 'total') => show(each.stages[stage]).toFixed(2),
  });
  const columns = [
    { title: 'stage', cell: (stage: Stage | 'total') => stage },
    ...figures.flatMap((each) => [
      column('wall ms', ({ wall }) => wall, each),
      column('90 %', ({ slow }) => slow, each),
      column('CPU ms', ({ cpu }) => cpu, each),
    ]),
  ];
  console.log(printTable(columns, [...STAGES, 'total'] as const));
  console.log(
    `\n${options.changes} one-line commits each; load average ${os.loadavg()[0]?.toFixed(1)}; yardstick ${figures.map(({ yardstickMs }) => yardstickMs.toFixed(0)).join(', ')} ms`,
  );
}
