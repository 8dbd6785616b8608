import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { allFigures } from '../../bench/ovsdb/figures.ts';
import type { SubjectName } from '../../bench/ovsdb/job.ts';
import { SUBJECT_TITLES } from '../../bench/ovsdb/print-series.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PORTS = 100;
const LIMIT_MS = 10 * 60_000;

describe('the bench of the OVSDB library', () => {
  test(
    'measures every figure with every subject that is installed',
    () => expectFigures(({ isCluster }) => !isCluster, Object.keys(SUBJECT_TITLES) as SubjectName[]),
    LIMIT_MS,
  );

  test(
    'measures every figure with a cluster',
    () => expectFigures(({ isCluster }) => isCluster, ['ours']),
    LIMIT_MS,
  );
});

type Figure = ReturnType<typeof allFigures>[number];

/** Runs the bench with one small run and reads the tables that it prints. */
function expectFigures(chosen: (figure: Figure) => boolean, subjects: readonly SubjectName[]): void {
  const figures = allFigures(1).filter(chosen);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      'bench/run.mjs',
      'ovsdb',
      `--figures=${figures.map(({ key }) => key).join(',')}`,
      `--subjects=${subjects.join(',')}`,
      `--sizes=${PORTS}`,
      '--runs=1',
      '--changes=1',
    ],
    { cwd: ROOT, encoding: 'utf8', timeout: LIMIT_MS },
  );
  expect(status, stderr).toBe(0);
  const leftOut = new Set(
    [...stderr.matchAll(/^(.+) left out: /gm)].flatMap(([, names]) => names?.split(', ') ?? []),
  );
  const measured = figures.flatMap((figure) =>
    subjectsIn(section(stdout, figure)).map((subject) => `${figure.key} ${subject}`),
  );
  const wanted = figures.flatMap((figure) =>
    figure.subjects
      .filter((subject) => subjects.includes(subject) && !leftOut.has(subject))
      .map((subject) => `${figure.key} ${SUBJECT_TITLES[subject]}`),
  );
  expect(measured.toSorted()).toEqual(wanted.toSorted());
}

function section(text: string, { key }: Figure): string {
  const [, after = ''] = text.split(`### ${key} at ${PORTS} ports: `);
  return after.split('\n### ')[0] ?? '';
}

/** The first cells of a table's lines that have a time, which is more than 0, in the second. */
function subjectsIn(table: string): readonly string[] {
  return [...table.matchAll(/^\| (.+?) +\| +([\d.,]+) +\|/gm)]
    .filter(([, , time = '']) => Number(time.replaceAll(',', '')) > 0)
    .map(([, subject = '']) => subject);
}
