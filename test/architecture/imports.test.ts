import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Direction, DIRECTIONS, WIRING } from './directions.ts';
import { codeOf, importsOf, ROOT, type SourceFile, sourceFiles } from './source-tree.ts';

const FILES = sourceFiles();
const FOLDERS = [...new Set(FILES.map(({ folder }) => folder))].filter((folder) => !WIRING.includes(folder));

test('there are source files to judge, and every folder of theirs has a rule', () => {
  expect(FILES.length).toBeGreaterThan(50);
  expect(FOLDERS.filter((folder) => !(folder in DIRECTIONS))).toEqual([]);
});

test('the folder graph is as agreed', async () => {
  const golden = path.join(import.meta.dirname, 'folder-graph.txt');
  await expect(graph()).toMatchFileSnapshot(golden);
});

describe.each(FOLDERS)('src/%s', (folder) => {
  const files = FILES.filter((file) => file.folder === folder);
  const direction = DIRECTIONS[folder] ?? { folders: [] };

  test('imports only what it may', () => {
    expect(files.flatMap((file) => forbidden(file, direction))).toEqual([]);
  });

  if (direction.pure === true) {
    test('waits for nothing', () => {
      const waiting = files.filter(({ text }) => /\basync\b|\bawait\b|\bPromise\b/.test(codeOf(text)));
      expect(waiting.map(({ file }) => file)).toEqual([]);
    });
  }
});

test('only src/main reads the environment', () => {
  const readers = FILES.filter(({ text }) => /\bprocess\s*\.\s*(env|argv)\b/.test(codeOf(text)));
  expect(readers.filter(({ folder }) => folder !== 'main').map(({ file }) => file)).toEqual([]);
});

test('the linter restricts the same imports, so that editors show them', () => {
  const { overrides } = JSON.parse(readFileSync(path.join(ROOT, '.oxlintrc.json'), 'utf8')) as {
    overrides: { files: string[]; rules: Record<string, unknown> }[];
  };
  for (const [folder, direction] of Object.entries(DIRECTIONS)) {
    if (folder.includes('/')) continue;
    const override = overrides.find(({ files }) => files.includes(`src/${folder}/**`));
    expect(override?.rules['no-restricted-imports'], folder).toEqual(lintRule(folder, direction));
  }
});

/** The rule of .oxlintrc.json that says the same as `direction`. */
function lintRule(folder: string, direction: Direction): unknown {
  const others = [...Object.keys(DIRECTIONS), ...WIRING]
    .filter((other) => !other.includes('/') && !other.includes('.') && other !== folder)
    .filter((other) => !direction.folders.includes(other));
  const types = direction.types ?? [];
  const patterns: unknown[] = [
    {
      group: groupOf(others.filter((other) => !types.includes(other))),
      message: `src/${folder} may not import this folder: see test/architecture/directions.ts`,
    },
  ];
  if (types.length > 0) {
    patterns.push({ group: groupOf(types), message: 'types only', allowTypeImports: true });
  }
  if (direction.pure === true) {
    patterns.push({ group: ['node:*'], message: 'pure folder: no I/O, no clock' });
  }
  return ['error', { patterns }];
}

describe('reading imports', () => {
  test('finds every form', () => {
    const text = [
      "import { a } from '../lib/a.ts';",
      "import {\n  b,\n  type B,\n} from '../model/b.ts';",
      "import type { C } from '../reconcile/c.ts';",
      "import { type D, type E } from '../plan/d.ts';",
      "export { f } from '../spec/f.ts';",
      "import * as g from '@noble/hashes/sha2.js';",
      "import Redis from 'ioredis';",
      "import '../git/h.ts';",
      "const { i } = await import('node:fs');",
    ].join('\n');
    expect(importsOf('queue/x.ts', text).map(({ target, typesOnly }) => `${target} ${typesOnly}`)).toEqual([
      'lib false',
      'model false',
      'reconcile true',
      'plan true',
      'spec false',
      '@noble/hashes false',
      'ioredis false',
      'git false',
      'node:fs false',
    ]);
  });

  test('does not take words in comments and strings for code', () => {
    expect(codeOf("/* async */ const a = 'await'; // Promise\nb();").trim()).toBe('const a = ; \nb();');
  });
});

function groupOf(folders: readonly string[]): string[] {
  return folders.map((folder) => `**/${folder}/**`);
}

function forbidden({ file, folder, imports }: SourceFile, direction: Direction): readonly string[] {
  return imports
    .filter(({ kind, target, typesOnly }) => {
      if (kind === 'node') return direction.pure === true;
      if (kind === 'package') return direction.packages?.includes(target) !== true;
      if (target === folder || direction.folders.includes(target)) return false;
      return !(typesOnly && direction.types?.includes(target) === true);
    })
    .map(({ target }) => `${file} imports ${target}`);
}

/** One line per folder: the folders it imports (`types` in parentheses where nothing else), then its packages. */
function graph(): string {
  const folders = [...new Set(FILES.map(({ folder }) => folder))].toSorted();
  return `${folders.map(line).join('\n')}\n`;
}

function line(folder: string): string {
  const imports = FILES.filter((file) => file.folder === folder).flatMap((file) => file.imports);
  const targets = (kind: 'folder' | 'package'): readonly string[] => {
    const found = imports.filter((one) => one.kind === kind && one.target !== folder);
    const values = new Set(found.filter((one) => !one.typesOnly).map((one) => one.target));
    return [...new Set(found.map((one) => one.target))]
      .toSorted()
      .map((target) => (values.has(target) ? target : `(${target})`));
  };
  const packages = targets('package');
  const suffix = packages.length === 0 ? '' : ` | ${packages.join(' ')}`;
  return `${folder}: ${targets('folder').join(' ')}${suffix}`.replaceAll('  ', ' ');
}
