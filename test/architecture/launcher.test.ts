import { type ChildProcess, spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ROOT } from './source-tree.ts';

/** A small checkout with the real launcher, whose program says what it was given. */
let checkout: string;
let children: ChildProcess[];

beforeEach(() => {
  checkout = mkdtempSync(path.join(tmpdir(), 'launcher-'));
  children = [];
  for (const file of [
    'bin',
    'scripts',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
  ]) {
    cpSync(path.join(ROOT, file), path.join(checkout, file), { recursive: true });
  }
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(checkout, 'node_modules'));
  mkdirSync(path.join(checkout, 'src', 'main'), { recursive: true });
  program(`process.stdout.write(JSON.stringify(process.argv.slice(2)) + '\\n'); process.exitCode = 7;`);
});

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(checkout, { recursive: true, force: true });
});

test('builds a checkout first, passes arguments and exit code, and keeps standard output clean', () => {
  const first = launch('plan', '--head', 'a b', '');
  expect(first).toMatchObject({ status: 7, stdout: '["plan","--head","a b",""]\n' });
  expect(first.stderr).toContain('building');
});

test('builds again only when a source is newer', () => {
  launch();
  expect(launch().stderr).toBe('');
  program(`process.stdout.write('changed\\n');`);
  // Later than the build by the clock of any file system.
  const later = new Date(Date.now() + 5_000);
  utimesSync(path.join(checkout, 'src', 'main', 'cli.ts'), later, later);
  expect(launch()).toMatchObject({ status: 0, stdout: 'changed\n' });
});

test('does not run a program that does not compile', () => {
  program(`const wrong: number = 'text'; process.stdout.write(String(wrong));`);
  expect(launch()).toMatchObject({ status: 1, stdout: '' });
  expect(launch().stderr).toContain('TS2322');
});

test('works through a symbolic link, as npm installs it', () => {
  const link = path.join(checkout, 'link');
  symlinkSync(path.join(checkout, 'bin', 'ovn-gitops'), link);
  expect(spawnSync(link, ['x'], { encoding: 'utf8' })).toMatchObject({ status: 7, stdout: '["x"]\n' });
});

test('the program gets the signals that are sent to the launcher', async () => {
  program(`
    process.on('SIGTERM', () => { process.stdout.write('drained\\n'); process.exit(3); });
    setInterval(() => undefined, 1000);
    process.stdout.write('up\\n');
  `);
  const child = spawn(path.join(checkout, 'bin', 'ovn-gitops'), [], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (line === 'up') child.kill('SIGTERM');
  }
  expect(await ended).toBe(3);
  expect(said).toEqual(['up', 'drained']);
});

function program(text: string): void {
  writeFileSync(path.join(checkout, 'src', 'main', 'cli.ts'), `${text}\nexport {};\n`);
}

function launch(...words: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(path.join(checkout, 'bin', 'ovn-gitops'), words, { encoding: 'utf8' });
}
