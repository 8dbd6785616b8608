import { spawnSync } from 'node:child_process';
import os from 'node:os';
import { parseArgs } from 'node:util';
import { median, type SizeFigures } from './figure.ts';
import { generateRepository } from './generate.ts';
import { measureCommits } from './measure-commits.ts';
import { measureNorthd } from './measure-northd.ts';
import { measureRepository } from './measure-repository.ts';
import { printFigures } from './print-figures.ts';
import { printHotSpots, profiled } from './profile.ts';
import { describeMachine, writeResults } from './results-file.ts';
import { Stopwatch } from './stopwatch.ts';
import { yardstick } from './yardstick.ts';

const { values: options } = parseArgs({
  options: {
    /** Numbers of ports. */
    sizes: { type: 'string', default: '1000,5000,20000' },
    /** The sizes that a real ovn-northd translates too; 20,000 ports take it minutes. */
    northd: { type: 'string', default: '1000,5000' },
    runs: { type: 'string', default: '3' },
    /** Writes RESULTS.md to this folder. */
    write: { type: 'string' },
    /** Prints where the time goes instead: `repository` or `commits`. */
    profile: { type: 'string' },
    /** Measures this one size and prints JSON: how a size gets a process, and so a heap, of its own. */
    only: { type: 'string' },
  },
});

if (options.only === undefined) measureAll();
else await measureOne(Number(options.only), Number(options.runs));

function measureAll(): void {
  const tables = options.sizes.split(',').map((size) => {
    const child = spawnSync(
      process.execPath,
      [...process.execArgv, ...process.argv.slice(1), '--only', size],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        encoding: 'utf8',
        maxBuffer: 2 ** 28,
      },
    );
    if (child.status !== 0) throw new Error(`measuring ${size} ports failed`);
    const text =
      options.profile === undefined
        ? printFigures(JSON.parse(child.stdout) as SizeFigures)
        : `${size} ports\n${child.stdout}`;
    console.log(`${text}\n`);
    return text;
  });
  if (options.write !== undefined && options.profile === undefined) {
    writeResults(options.write, 'pipeline', resultsOf(tables));
  }
}

async function measureOne(ports: number, runs: number): Promise<void> {
  const files = generateRepository(ports);
  const stopwatch = new Stopwatch();
  const isCommitsProfile = options.profile === 'commits';
  const validated = await (options.profile === 'repository'
    ? profiled(() => Promise.resolve(measureRepository(files, runs, stopwatch)))
    : measureRepository(files, isCommitsProfile ? 1 : runs, stopwatch));
  if (options.profile === 'repository') {
    console.log(printHotSpots());
    return;
  }
  const commits = (): ReturnType<typeof measureCommits> => measureCommits(files, validated, runs, stopwatch);
  if (isCommitsProfile) {
    await profiled(commits);
    console.log(printHotSpots());
    return;
  }
  const { rows, units } = await commits();
  if (options.northd.split(',').includes(String(ports))) await measureNorthd(files, stopwatch);
  const figures: SizeFigures = {
    ports,
    files: files.length,
    bytes: files.reduce((total, file) => total + file.text.length, 0),
    rows,
    units,
    loadAverage: os.loadavg()[0] ?? 0,
    yardstickMs: median([yardstick(), yardstick(), yardstick()]),
    figures: stopwatch.figures(),
  };
  process.stdout.write(JSON.stringify(figures));
}

function resultsOf(tables: readonly string[]): string {
  return `## The pipeline

Written by \`npm run bench -- --write\`; what the columns mean is in [README.md](README.md).

${describeMachine()}
- Medians of ${options.runs} runs; of one-port stages, of ${options.runs} times 100 changes, and the maximum is the 99th percentile.

${tables.map((table) => `### ${table}`).join('\n\n')}`;
}
