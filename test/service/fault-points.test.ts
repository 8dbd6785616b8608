import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('what is shipped does nothing where tests let it die', () => {
  const code = readFileSync(path.join(ROOT, 'dist/src/model/fault-point.js'), 'utf8').replace(
    /^\s*\/[/*].*$/gm,
    '',
  );
  expect(code.replace(/\s+/g, '')).toBe('exportfunctionreached(_step){}');
  const naming = filesUnder('dist').filter((file) =>
    readFileSync(file, 'utf8').includes('OVN_GITOPS_DEATHS'),
  );
  expect(naming).toEqual([]);
});

test('every step is marked at one place', () => {
  const list =
    /export type Step =(?<steps>[^;]*);/.exec(read('src/model/fault-point.ts'))?.groups?.['steps'] ?? '';
  const steps = [...list.matchAll(/\| '(?<step>[^']*)'/g)].map((match) => match.groups?.['step'] ?? '');
  expect(steps.length).toBeGreaterThan(30);
  const marked = filesUnder('src')
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/\breached\('(?<step>[^']*)'\)/g)])
    .map((match) => match.groups?.['step'] ?? '');
  expect(marked.toSorted()).toEqual(steps.toSorted());
});

function filesUnder(folder: string): readonly string[] {
  const names = readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.[jt]s$/.test(name)).map((name) => path.join(ROOT, folder, name));
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}
