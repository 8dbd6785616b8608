import { spawn } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { median, percentile } from '../figure.ts';
import { type Column, printTable } from '../print-table.ts';
import { describeMachine, writeResults } from '../results-file.ts';
import type { Elapsed } from '../stopwatch.ts';
import { yardstick } from '../yardstick.ts';
import { measureChanges } from './measure-changes.ts';
import { COLD_STAGES, type ColdFigures, measureCold } from './measure-cold.ts';
import type { SceneAddress } from './scene.ts';
import { STAGES, type Stage } from './stages.ts';

const { values: options } = parseArgs({
  options: {
    /** Numbers of ports. */
    sizes: { type: 'string', default: '1000,20000,100000' },
    changes: { type: 'string', default: '30' },
    /** Puts the results into RESULTS.md of this folder. */
    write: { type: 'string' },
    /** Measures this one size and prints JSON: how a size gets a process, and so a heap, of its own. */
    only: { type: 'string' },
    /** Starts over this scene (JSON) and prints JSON: with the heap that Node gives by default. */
    cold: { type: 'string' },
  },
});

/** What a start needs of memory: the title of a line, and the figure. */
const MEMORY = [
  ['MB on the heap at the end', 'heapMb'],
  ['MB resident at most', 'peakRssMb'],
  ['MB resident at most until compiled', 'compiledRssMb'],
] as const;

if (options.cold !== undefined) print(await measureCold(JSON.parse(options.cold) as SceneAddress));
else if (options.only === undefined) await measureAll(options.sizes.split(',').map(Number));
else await measureOne(Number(options.only), Number(options.changes));

/** Of one stage: medians, and the 90th percentile of the wall-clock time, ms. */
interface StageFigure {
  readonly wall: number;
  readonly cpu: number;
  readonly slow: number;
}

type Line = Stage | 'total';

interface SizeFigures {
  readonly ports: number;
  readonly stages: Readonly<Record<Line, StageFigure>>;
  readonly cold: ColdFigures;
  readonly yardstickMs: number;
}

async function measureOne(ports: number, changes: number): Promise<void> {
  let cold: ColdFigures | undefined;
  const measured = await measureChanges(ports, changes, async ({ repository, store, endpoint }) => {
    // A commit in the store that is in force, and a process that knows nothing of it.
    cold = (await runItself(
      ['--cold', JSON.stringify({ repository, store, endpoint })],
      ['--expose-gc'],
    )) as ColdFigures;
  });
  const stages = Object.fromEntries([
    ...STAGES.map((stage) => [stage, figureOf(measured.map((times) => times.get(stage)))]),
    ['total', figureOf(measured.map((times) => times.total()))],
  ]) as SizeFigures['stages'];
  print({ ports, stages, cold, yardstickMs: median([yardstick(), yardstick(), yardstick()]) });
}

function figureOf(times: readonly Elapsed[]): StageFigure {
  const wall = times.map((each) => each.wall);
  return { wall: median(wall), cpu: median(times.map(({ cpu }) => cpu)), slow: percentile(wall, 0.9) };
}

async function measureAll(sizes: readonly number[]): Promise<void> {
  const figures: SizeFigures[] = [];
  for (const size of sizes) {
    const words = ['--only', String(size), '--changes', options.changes];
    figures.push((await runItself(words, process.execArgv)) as SizeFigures);
  }
  const results = resultsOf(figures);
  console.log(results);
  if (options.write !== undefined) writeResults(options.write, 'revisions', results);
}

function resultsOf(figures: readonly SizeFigures[]): string {
  const yardsticks = figures.map(({ yardstickMs }) => yardstickMs.toFixed(0)).join(', ');
  const load = os.loadavg()[0]?.toFixed(1);
  return [
    '## Revisions',
    'Written by `npm run bench -- revisions --write`; what the words mean is in [README.md](README.md).',
    describeMachine(),
    `- Medians of ${options.changes} commits; load average ${load}; yardstick ${yardsticks} ms.`,
    '### A one-line commit',
    printChanges(figures),
    '### A start',
    printStarts(figures),
  ].join('\n\n');
}

function printChanges(figures: readonly SizeFigures[]): string {
  const columns = figures.flatMap(({ ports, stages }): readonly Column<Line>[] => [
    { title: `${ports.toLocaleString('en-US')} ports: ms`, cell: (line) => stages[line].wall.toFixed(2) },
    { title: '90 %', cell: (line) => stages[line].slow.toFixed(2) },
    { title: 'CPU ms', cell: (line) => stages[line].cpu.toFixed(2) },
  ]);
  const lines = STAGES.filter((stage) => stage !== 'open the Northbound');
  return printTable([{ title: 'stage', cell: (line) => line }, ...columns], [...lines, 'total']);
}

function printStarts(figures: readonly SizeFigures[]): string {
  const columns = figures.flatMap(({ ports, cold }): readonly Column<string>[] => [
    {
      title: `${ports.toLocaleString('en-US')} ports: s`,
      cell: (line) => inSeconds(cold.stages[line]?.wall) ?? memoryOf(cold, line),
    },
    { title: 'CPU s', cell: (line) => inSeconds(cold.stages[line]?.cpu) ?? '' },
  ]);
  const lines = [...COLD_STAGES, ...MEMORY.map(([title]) => title)];
  return printTable([{ title: 'stage', cell: (line) => line }, ...columns], lines);
}

function memoryOf(cold: ColdFigures, line: string): string {
  const field = MEMORY.find(([title]) => title === line)?.[1];
  return field === undefined ? '' : `${cold[field].toFixed(0)} MB`;
}

function inSeconds(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : (ms / 1000).toFixed(2);
}

async function runItself(words: readonly string[], flags: readonly string[]): Promise<unknown> {
  const script = process.argv[1] ?? '';
  const child = spawn(process.execPath, [...flags, script, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const printed = await text(child.stdout);
  const [status] = (await closed) as [number | null];
  if (status !== 0) throw new Error(`measuring failed: ${words.join(' ')}`);
  return JSON.parse(printed);
}

function print(figures: unknown): void {
  process.stdout.write(JSON.stringify(figures));
}
