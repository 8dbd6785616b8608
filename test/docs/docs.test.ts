import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readInput } from '../../src/cli/command.ts';
import { SERVICE_OPTIONS } from '../../src/main/service-options.ts';
import { DEFAULT_LIMITS } from '../../src/git/source-options.ts';
import { printDiagnostics } from '../../src/spec/print.ts';
import { validateFiles } from '../../src/spec/validate.ts';
import { allCommands, commandLines } from './commands.ts';
import { blocksOf, type Page, pages, read, ROOT } from './documents.ts';

const PAGES = pages();
const README_BASE = 'test/docs/readme/base';
const COMMANDS = await allCommands();

test('there are pages, blocks and commands to judge', () => {
  expect(PAGES.length).toBeGreaterThan(20);
  expect(PAGES.flatMap(specBlocks).length).toBeGreaterThan(20);
  expect(PAGES.flatMap(commandLines).length).toBeGreaterThan(30);
  expect(COMMANDS.size).toBeGreaterThan(10);
});

describe.each(PAGES.map((page) => [page.file, page] as const))('%s', (_file, page) => {
  test('shows specs that are valid, all blocks of the page together', () => {
    const { diagnostics } = validateFiles([...contextOf(page), ...specBlocks(page)]);
    expect(printDiagnostics(diagnostics)).toBe('');
  });

  test('shows commands that exist, with options that they have', () => {
    const wrong = commandLines(page).flatMap((words) => {
      const problem = commandProblem(words);
      return problem === undefined ? [] : [`ovn-gitops ${words.join(' ')}: ${problem}`];
    });
    expect(wrong).toEqual([]);
  });

  test('links to what is there', () => {
    expect(brokenLinks(page)).toEqual([]);
  });
});

test('every variable that is named is read, and every one that is read is named', () => {
  const operating = read('docs/operators/running.md');
  const named = new Set(
    PAGES.flatMap(({ text }) => [...text.matchAll(/\bOVN_GITOPS_[A-Z_]+/g)].map(([name]) => name)),
  );
  const secrets = ['OVN_GITOPS_GIT_USERNAME', 'OVN_GITOPS_GIT_PASSWORD'];
  const options = [...COMMANDS.values()].flatMap((command) => Object.values(command.options));
  const known = new Set([...secrets, ...options.flatMap(({ env }) => env ?? [])]);
  // A variable of the tests, in the pages for those who write them.
  expect([...named].filter((name) => !known.has(name) && name !== 'OVN_GITOPS_SEED')).toEqual([]);
  const services = Object.values(SERVICE_OPTIONS).flatMap(({ env }) => env ?? []);
  expect([...secrets, ...services].filter((name) => !operating.includes(`\`${name}\``))).toEqual([]);
});

test('every reason that a status can have is explained', () => {
  const operating = read('docs/operators/running.md');
  const inStatus = ['follow-source', 'acceptance', 'reconcile-unit'].flatMap((name) => [
    ...read(`src/reconcile/${name}.ts`).matchAll(/reason(?:: | = [^;]*)'([A-Z]\w+)'(?: : '(\w+)')?/g),
  ]);
  const reasons = inStatus.flatMap(([, one, other]) => [one ?? '', ...(other === undefined ? [] : [other])]);
  const codes = [...read('src/git/source-error.ts').matchAll(/^ {2}\| '([A-Z_0-9]+)'/gm)];
  const deferrals = [...read('src/model/plan.ts').matchAll(/'([a-z]+-[a-z-]+)'/g)]
    .map(([, one = '']) => one)
    .filter((one) => !one.startsWith('reversible'));
  const all = new Set([...reasons, ...codes.map(([, code = '']) => code), ...deferrals]);
  expect(all.size).toBeGreaterThan(40);
  expect([...all].filter((one) => !operating.includes(`\`${one}\``))).toEqual([]);
});

test('the limits that are named are those that hold', () => {
  const { files, fileBytes, totalBytes, packBytes } = DEFAULT_LIMITS;
  const limits = [files.toLocaleString('en'), ...[fileBytes, totalBytes, packBytes].map(mebibytes)];
  const operating = read('docs/operators/running.md');
  expect(limits.filter((limit) => !new RegExp(String.raw`\| ${limit} +\|`).test(operating))).toEqual([]);
  expect(read('docs/repository.md')).toContain(
    `At most ${limits[0]} files, ${limits[1]} each, ${limits[2]} together.`,
  );
});

/** Documents that the blocks of a page need and that it does not show itself. */
function contextOf(page: Page): readonly { readonly path: string; readonly text: string }[] {
  const folder = path.dirname(page.file) === 'docs/reference/kinds' ? 'docs/reference/example' : README_BASE;
  const shown = new Set(blocksOf(page).map(({ text }) => text));
  if (shown.size === 0 || (folder === README_BASE && page.file !== 'README.md')) return [];
  return readdirSync(path.join(ROOT, folder))
    .map((file) => ({ path: file, text: read(path.join(folder, file)) }))
    .filter(({ path: file, text }) => !shown.has(text) && file !== 'web.yaml');
}

function specBlocks(page: Page): readonly { path: string; text: string }[] {
  return blocksOf(page)
    .filter(({ language, text }) => language === 'yaml' && /^apiVersion:/m.test(text))
    .map(({ line, text }) => ({ path: `line-${line}.yaml`, text }));
}

/** Words in capitals and `...` stand for something: they are as good as any argument. */
function commandProblem(words: readonly string[]): string | undefined {
  const [name = '', member = ''] = words;
  if (name === 'COMMAND' || name.startsWith('-')) return undefined;
  const ofFamily = COMMANDS.get(`${name} ${member}`);
  const isFamily = [...COMMANDS.keys()].some((known) => known.startsWith(`${name} `));
  if (isFamily && member === '') return undefined;
  const command = ofFamily ?? COMMANDS.get(name);
  const args = words.slice(ofFamily === undefined ? 1 : 2);
  if (command === undefined) return 'there is no such command';
  // A mere mention of a command leaves its arguments out.
  const isMention = args.length === 0 && command.positionals.length > 0;
  if (isMention || args.includes('[OPTIONS]') || args.includes('--help')) return undefined;
  const input = readInput(command, args, {});
  return input.ok ? undefined : input.error;
}

function brokenLinks({ file, text }: Page): readonly string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [where = '', anchor] = target.split('#');
      const full = where === '' ? file : path.join(path.dirname(file), where);
      if (!existsSync(path.join(ROOT, full))) return true;
      return anchor !== undefined && !anchorsOf(read(full)).has(anchor);
    });
}

/** The anchors that GitHub makes of headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function mebibytes(bytes: number): string {
  return `${bytes / 1024 / 1024} MiB`;
}
