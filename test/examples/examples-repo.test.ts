import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { compile } from '../../src/compile/compile.ts';
import { renderNb } from '../../src/compile/render-nb.ts';
import { printDiagnostics } from '../../src/spec/print.ts';
import { EXAMPLES, exampleFiles, SCHEMAS, validateMap } from './example-files.ts';
import { HISTORY, type Step } from './history.ts';

let files: ReadonlyMap<string, string>;
beforeAll(async () => {
  files = await exampleFiles();
});

test('the example network is valid, without a warning', () => {
  expect(files.size).toBeGreaterThan(20);
  expect(problemsOf(files)).toBe('');
});

test('every file names the schema of its documents to the editor', () => {
  for (const [file, text] of files) {
    const [, schema] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text) ?? [];
    const place = path.join(EXAMPLES, path.dirname(file), schema ?? 'no modeline');
    expect(existsSync(place), file).toBe(true);
    expect(path.dirname(place), file).toBe(SCHEMAS);
    const { properties } = JSON.parse(readFileSync(place, 'utf8')) as {
      properties: { kind: { const: string } };
    };
    const kinds = [...text.matchAll(/^kind: (\w+)$/gm)].map((match) => match[1]);
    expect(new Set(kinds), file).toEqual(new Set([properties.kind.const]));
  }
});

test('every folder and file that the README speaks of is there', () => {
  const readme = readFileSync(path.join(EXAMPLES, 'README.md'), 'utf8');
  const named = [...readme.matchAll(/`([\w./-]+(?:\/|\.yaml))`/g)].map((match) => match[1] ?? '');
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !existsSync(path.join(EXAMPLES, name)))).toEqual([]);
});

test('each commit of the history is valid and does what it says', () => {
  let current = files;
  for (const step of HISTORY) {
    const before = rowsOf(current);
    current = edited(current, step);
    expect(problemsOf(current), step.subject).toBe('');
    const isSame = rowsOf(current) === before;
    expect(isSame, step.subject).toBe(/Rename the file|to a file of its own|^Pin/.test(step.subject));
  }
  expect(new Set(HISTORY.map(({ subject }) => subject)).size).toBe(HISTORY.length);
});

test('no automatic address moves once the addresses are pinned', () => {
  const pinned = HISTORY.findIndex(({ subject }) => subject.startsWith('Pin'));
  const atPin = HISTORY.slice(0, pinned + 1).reduce(edited, files);
  const atEnd = HISTORY.slice(pinned + 1).reduce(edited, atPin);
  const [before, after] = [atPin, atEnd].map((each) => compile(validateMap(each).set).addresses);
  const kept = [...(after ?? [])].filter(([port]) => before?.has(port) === true && port !== 'shop-db-1');
  expect(kept.length).toBeGreaterThan(15);
  for (const [port, { addresses }] of kept) expect(addresses, port).toEqual(before?.get(port)?.addresses);
});

/** The files after a step; the given ones stay as they are. */
function edited(files: ReadonlyMap<string, string>, step: Step): ReadonlyMap<string, string> {
  const copy = new Map(files);
  step.edit(copy);
  return copy;
}

function problemsOf(files: ReadonlyMap<string, string>): string {
  const { diagnostics, set } = validateMap(files);
  return printDiagnostics([...diagnostics, ...compile(set).diagnostics]);
}

function rowsOf(files: ReadonlyMap<string, string>): string {
  return JSON.stringify(renderNb(compile(validateMap(files).set).nb));
}
