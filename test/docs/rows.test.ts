import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { compile } from '../../src/compile/compile.ts';
import { hasErrors } from '../../src/model/diagnostic.ts';
import { validateFiles } from '../../src/spec/validate.ts';
import { read, ROOT } from './documents.ts';

interface KindWords {
  readonly rows: readonly { readonly table: string; readonly what: string }[];
}

const KINDS = JSON.parse(read('docs/reference/kinds.json')) as Readonly<Record<string, KindWords>>;

test('the reference names every kind', () => {
  const kinds = readdirSync(path.join(ROOT, 'specs-schema'))
    .filter((file) => file.endsWith('.schema.json') && file !== 'common.schema.json')
    .map((file) => (JSON.parse(read(`specs-schema/${file}`)) as { title: string }).title);
  expect(Object.keys(KINDS).toSorted()).toEqual(kinds.toSorted());
});

test('each kind becomes rows of exactly those tables that the reference names', () => {
  const seen = new Map(Object.keys(KINDS).map((kind) => [kind, new Set<string>()]));
  for (const folder of corpus()) {
    for (const [kind, table] of tablesOf(folder)) seen.get(kind)?.add(table);
  }
  const found = Object.fromEntries([...seen].map(([kind, tables]) => [kind, [...tables].toSorted()]));
  const named = Object.entries(KINDS).map(([kind, { rows }]) => [
    kind,
    rows.map(({ table }) => table).toSorted(),
  ]);
  expect(found).toEqual(Object.fromEntries(named));
});

test('the defaults that the reference names are those that hold: writing them out changes no row', () => {
  const [implicit, explicit] = ['implicit', 'explicit'].map((folder) => {
    const files = filesOf(path.join('test/docs/defaults', folder));
    const { set, diagnostics } = validateFiles(files);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const rows = [...compile(set).nb.rows.values()];
    return rows.map(({ key, columns, parent }) => ({ key, columns, parent }));
  });
  expect(implicit?.length).toBeGreaterThan(20);
  expect(explicit).toEqual(implicit);
});

/** Folders with specs that together use all that there is. */
function corpus(): readonly string[] {
  const cases = readdirSync(path.join(ROOT, 'test', 'cases')).filter((name) => !name.startsWith('bad-'));
  return ['examples-repo', 'docs/reference/example', ...cases.map((name) => `test/cases/${name}/specs`)];
}

/** Kind and table of each row that a folder's documents become. */
function tablesOf(folder: string): readonly (readonly [kind: string, table: string])[] {
  const { set, resources, diagnostics } = validateFiles(filesOf(folder));
  if (hasErrors(diagnostics)) return [];
  const kinds = new Map(resources.map(({ kind, origin }) => [placeText(origin.place), kind]));
  return [...compile(set).nb.rows.values()].map(({ table, source }) => [
    kinds.get(placeText(source)) ?? '',
    table,
  ]);
}

function placeText({ file, line }: { readonly file: string; readonly line: number }): string {
  return `${file}:${line}`;
}

function filesOf(folder: string): readonly { readonly path: string; readonly text: string }[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.ya?ml$/.test(file))
    .map((file) => ({ path: file, text: read(path.join(folder, file)) }));
}
