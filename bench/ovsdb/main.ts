import { parseArgs } from 'node:util';
import { Databases } from './databases.ts';
import { allFigures } from './figures.ts';
import { type SubjectName, SUBJECTS } from './job.ts';
import { measureFigure, type Series } from './measure-figure.ts';
import { printSeries } from './print-series.ts';

const { values: options } = parseArgs({
  options: {
    /** Numbers of switch ports. */
    sizes: { type: 'string', default: '20000' },
    /** Which figures: by key, or by the letter that their keys begin with. */
    figures: { type: 'string' },
    subjects: { type: 'string', default: SUBJECTS.join(',') },
    runs: { type: 'string', default: '3' },
    /** Small changes a run. */
    changes: { type: 'string', default: '200' },
  },
});

const databases = new Databases();
try {
  for (const series of await measureAll()) console.log(`${printSeries(series)}\n`);
} finally {
  await databases.remove();
}

async function measureAll(): Promise<readonly Series[]> {
  const wanted = options.figures?.split(',');
  const figures = allFigures(Number(options.changes)).filter(
    ({ key }) => wanted === undefined || wanted.some((word) => key.startsWith(word)),
  );
  const present = options.subjects.split(',') as SubjectName[];
  const all: Series[] = [];
  for (const ports of options.sizes.split(',').map(Number)) {
    for (const figure of figures) {
      const subjects = figure.subjects.filter((subject) => present.includes(subject));
      all.push(await measureFigure(figure, ports, subjects, Number(options.runs), databases));
    }
  }
  return all;
}
