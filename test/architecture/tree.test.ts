import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT, sourceFiles } from './source-tree.ts';

/** Lines as an editor counts them; the linter's own limit leaves out blank lines and comments. */
const LONGEST_SOURCE = 400;
const LONGEST_WORKER = 60;
const LONGEST_README = 25;

const TRACKED = spawnSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
  .stdout.split('\0')
  .filter((file) => file !== '' && existsSync(path.join(ROOT, file)));

test('there are tracked files to judge', () => {
  expect(TRACKED.length).toBeGreaterThan(50);
});

describe('src', () => {
  const folders = readdirSync(path.join(ROOT, 'src')).filter((name) =>
    statSync(path.join(ROOT, 'src', name)).isDirectory(),
  );

  test.each(folders)('%s has a README that is read in a minute', (folder) => {
    expect(lines(`src/${folder}/README.md`)).toBeLessThanOrEqual(LONGEST_README);
  });

  test('has no file that is too long to read', () => {
    const long = sourceFiles()
      .filter(({ file }) => !file.includes('generated') && file !== 'model/specs.ts')
      .filter(({ file }) => lines(`src/${file}`) > LONGEST_SOURCE);
    expect(long.map(({ file }) => file)).toEqual([]);
  });
});

test('a worker only wires parts together', () => {
  const workers = TRACKED.filter((file) => /^workers\/.*\.ts$/.test(file));
  expect(workers.filter((file) => lines(file) > LONGEST_WORKER)).toEqual([]);
});

test('no file names a path of the machine it was written on', () => {
  // Put together here, so that this file does not name them either.
  const paths = [
    ['', 'work', 'main'],
    ['', 'work', 'shared'],
    ['', 'tmp', 'helpers'],
    ['', 'home', ''],
  ].map((parts) => parts.join('/'));
  const naming = TRACKED.filter((file) => {
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    return paths.some((one) => text.includes(one));
  });
  expect(naming).toEqual([]);
});

test('the lock file pins contents, not the address of a registry', () => {
  const text = readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as {
    packages: Record<string, { resolved?: string; integrity?: string }>;
  };
  const entries = Object.entries(packages).filter(([where]) => where !== '');
  expect(entries.length).toBeGreaterThan(50);
  expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  expect(entries.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
});

function lines(file: string): number {
  return readFileSync(path.join(ROOT, file), 'utf8').trimEnd().split('\n').length;
}
