import { parseArgs } from 'node:util';
import { describeMachine, writeResults } from '../results-file.ts';
import { yardstick } from '../yardstick.ts';
import { Databases } from './databases.ts';
import { allFigures, type Measured, plannedFigures } from './figures.ts';
import { type SubjectName, SUBJECTS } from './job.ts';
import { measureFigure, type Series } from './measure-figure.ts';
import { availableSubjects } from './peers.ts';
import { printSeries } from './print-series.ts';
import { printSummary, printTargets } from './print-summary.ts';
import { raisePriority } from './priority.ts';

const { values: options } = parseArgs({
  options: {
    /** All figures at all sizes, five runs: what RESULTS.md is made of. */
    full: { type: 'boolean', default: false },
    /** Numbers of switch ports; by default 20,000. */
    sizes: { type: 'string' },
    /** Which figures: the beginnings of their keys. */
    figures: { type: 'string', default: '' },
    subjects: { type: 'string', default: SUBJECTS.join(',') },
    runs: { type: 'string' },
    /** Small changes a run. */
    changes: { type: 'string', default: '200' },
    /** `high` or `normal`; by default high for --full, where that is allowed. */
    priority: { type: 'string' },
    /** Writes the results to RESULTS.md in this folder. */
    write: { type: 'string' },
  },
});

const isRaised = (options.priority ?? (options.full ? 'high' : 'normal')) === 'high' && raisePriority();
const databases = new Databases();
try {
  const all = await measureAll();
  const head = headOf(all);
  console.log(head);
  if (options.write !== undefined) writeResults(options.write, 'ovsdb', resultsOf(head, all));
  if (all.some(({ failures }) => failures.size > 0)) process.exitCode = 1;
} finally {
  await databases.remove();
}

async function measureAll(): Promise<readonly Series[]> {
  const subjects = availableSubjects(options.subjects.split(',') as SubjectName[]);
  const all: Series[] = [];
  for (const { figure, ports, runs } of planned()) {
    const present = figure.subjects.filter((subject) => subjects.includes(subject));
    if (present.length === 0) continue;
    const series = await measureFigure(figure, ports, present, runs, databases);
    all.push(series);
    // At once: who interrupts a long bench keeps what there is.
    console.log(`${printSeries(series)}\n`);
  }
  return all;
}

function planned(): readonly Measured[] {
  const figures = allFigures(Number(options.changes)).filter(({ key }) =>
    options.figures.split(',').some((beginning) => key.startsWith(beginning)),
  );
  const sizes = options.sizes?.split(',').map(Number) ?? (options.full ? undefined : [20_000]);
  const runs = options.runs === undefined ? undefined : Number(options.runs);
  return plannedFigures(figures, sizes, runs ?? (options.full ? undefined : 3));
}

function headOf(all: readonly Series[]): string {
  return [
    `${describeMachine()}\n- priority ${isRaised ? 'high' : 'normal'}; yardstick ${Math.round(yardstick())} ms`,
    '### Targets',
    printTargets(all),
    '### All figures',
    printSummary(all),
  ].join('\n\n');
}

function resultsOf(head: string, all: readonly Series[]): string {
  return [
    '## The OVSDB library',
    'Written by `npm run bench -- ovsdb --full --write`; what the words mean is in [README.md](README.md).',
    head,
    ...all.map(printSeries),
  ].join('\n\n');
}
