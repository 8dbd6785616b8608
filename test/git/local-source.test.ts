import { chmod, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Source } from '../../src/git/source.ts';
import { openSource } from '../../src/git/source.ts';
import type { SourceOptions } from '../../src/git/source-options.ts';
import type { GitRepository } from '../support/git-repository.ts';
import { makeFolder, makeRepository, removeFolder, repositoryAt } from '../support/git-repository.ts';
import { errorOf, openIn, textsOf, valueOf } from './support.ts';

let folder: string;
let origin: GitRepository;
const sources: Source[] = [];

beforeEach(async () => {
  folder = await makeFolder();
  origin = await makeRepository(folder);
});

afterEach(async () => {
  for (const source of sources.splice(0)) await source.close();
  await removeFolder(folder);
});

async function open(options: Partial<SourceOptions> = {}, url = origin.directory): Promise<Source> {
  const source = await openIn(folder, url, options);
  sources.push(source);
  return source;
}

async function filesOf(source: Source, commit: string): Promise<Readonly<Record<string, string>>> {
  return textsOf(valueOf(await source.files(commit)));
}

test('a branch is followed: revision, author, subject and files', async () => {
  const commit = await origin.commit('Add the web network\n\nWith a reason.', {
    'net/web.yaml': 'kind: Vpc\n',
    'net/sub/db.yml': 'kind: Subnet\n',
    'net/notes.txt': 'not a spec',
    'other.yaml': 'kind: Other\n',
    '.github/workflow.yaml': 'on: push\n',
    'net/.hidden.yaml': 'a: b\n',
  });
  const source = await open({ path: '/net/' });
  const revision = valueOf(await source.fetch());
  expect(revision).toMatchObject({
    commit,
    author: { name: 'Ada Operator', email: 'ada@example.org' },
    subject: 'Add the web network',
    parents: [],
  });
  expect(revision.author.at).toBe(Number(await origin.git('log', '-1', '--format=%at')) * 1000);
  expect(revision.committedAt).toBe(Number(await origin.git('log', '-1', '--format=%ct')) * 1000);
  expect(revision.tree).toBe(await origin.git('rev-parse', 'HEAD^{tree}'));
  const files = valueOf(await source.files(commit));
  expect(await textsOf(files)).toEqual({ 'sub/db.yml': 'kind: Subnet\n', 'web.yaml': 'kind: Vpc\n' });
  expect(files.map(({ oid }) => oid)).toEqual([
    await origin.git('rev-parse', 'HEAD:net/sub/db.yml'),
    await origin.git('rev-parse', 'HEAD:net/web.yaml'),
  ]);
});

test('bare repositories, file URLs, packed refs and packs are read', async () => {
  const commit = await origin.commit('One', { 'a.yaml': 'a: 1\n' });
  const bare = join(folder, 'bare.git');
  await origin.git('clone', '--quiet', '--bare', origin.directory, bare);
  await repositoryAt(bare).git('gc', '--quiet');
  const source = await open({}, pathToFileURL(bare).href);
  expect(valueOf(await source.fetch()).commit).toBe(commit);
  expect(await filesOf(source, commit)).toEqual({ 'a.yaml': 'a: 1\n' });
});

test('a linked work tree and borrowed objects are followed', async () => {
  await origin.commit('One', { 'a.yaml': 'a: 1\n' });
  const linked = join(folder, 'linked');
  await origin.git('worktree', 'add', '--quiet', '-b', 'side', linked);
  const commit = await repositoryAt(linked).commit('Two', { 'a.yaml': 'a: 2\n' });
  const borrower = join(folder, 'borrower');
  await origin.git('clone', '--quiet', '--shared', '--branch', 'side', origin.directory, borrower);
  expect(await readdir(join(borrower, '.git/objects/pack'))).toEqual([]);
  for (const [index, url] of [linked, borrower].entries()) {
    const source = await open({ ref: { branch: 'side' }, store: join(folder, `store-${index}`) }, url);
    expect(valueOf(await source.fetch()).commit).toBe(commit);
    expect(await filesOf(source, commit)).toEqual({ 'a.yaml': 'a: 2\n' });
  }
});

test('tags, annotated too, and commits can be followed; a tag and a branch of one name are told apart', async () => {
  const first = await origin.commit('One', { 'a.yaml': 'a: 1\n' });
  await origin.git('tag', '--annotate', '--message', 'Release', 'main');
  const second = await origin.commit('Two', { 'a.yaml': 'a: 2\n' });
  expect(valueOf(await (await open({ ref: { tag: 'main' } })).fetch()).commit).toBe(first);
  expect(valueOf(await (await open({ ref: { branch: 'main' } })).fetch()).commit).toBe(second);
  expect(valueOf(await (await open({ ref: { commit: first } })).fetch()).commit).toBe(first);
});

test('an accepted revision stays readable after a force push and a gc at the origin', async () => {
  const base = await origin.commit('A', { 'a.yaml': 'a: 1\n' });
  const lost = await origin.commit('C', { 'a.yaml': 'a: 3\n' });
  const source = await open();
  expect(valueOf(await source.fetch()).commit).toBe(lost);
  await source.accept(lost, 7);
  await origin.git('reset', '--quiet', '--hard', base);
  const rewritten = await origin.commit('B', { 'a.yaml': 'a: 2\n' });
  await origin.git('reflog', 'expire', '--expire=now', '--all');
  await origin.git('gc', '--quiet', '--prune=now');
  await expect(origin.git('cat-file', '-e', lost)).rejects.toThrow();
  expect(valueOf(await source.fetch()).commit).toBe(rewritten);
  expect(await source.relation(lost, rewritten)).toBe('rewound');
  expect(await source.relation(base, rewritten)).toBe('descendant');
  expect(await source.relation(lost, lost)).toBe('same');
  expect(await source.relation(lost, base)).toBe('rewound');
  expect(await source.relation(lost, '0'.repeat(40))).toBe('unknown');
  const again = await open();
  expect(await again.accepted()).toEqual([{ sequence: 7, commit: lost }]);
  expect(await filesOf(again, lost)).toEqual({ 'a.yaml': 'a: 3\n' });
});

test('history is listed newest first and no further than asked', async () => {
  const commits: string[] = [];
  for (const name of ['one', 'two', 'three']) commits.unshift(await origin.commit(name, { 'a.yaml': name }));
  const source = await open();
  const tip = valueOf(await source.fetch()).commit;
  expect((await source.log(tip, 10)).map(({ commit }) => commit)).toEqual(commits);
  expect((await source.log(tip, 2)).map(({ subject }) => subject)).toEqual(['three', 'two']);
});

test('a missing branch is an error and comes back when it is restored', async () => {
  const commit = await origin.commit('One', { 'a.yaml': 'a: 1\n' });
  const source = await open();
  valueOf(await source.fetch());
  await origin.git('branch', '--move', 'main', 'away');
  expect(errorOf(await source.fetch())).toMatchObject({ code: 'REF_MISSING', kind: 'permanent' });
  expect(await filesOf(source, commit)).toEqual({ 'a.yaml': 'a: 1\n' });
  await origin.git('branch', '--move', 'away', 'main');
  expect(valueOf(await source.fetch()).commit).toBe(commit);
});

test('a missing managed path is an error, an empty one is no files', async () => {
  await origin.commit('One', { 'net/a.yaml': 'a: 1\n' });
  const empty = await origin.commit('Empty', { 'net/a.yaml': undefined, 'net/.gitkeep': '' });
  const source = await open({ path: 'net' });
  expect(valueOf(await source.fetch()).commit).toBe(empty);
  expect(valueOf(await source.files(empty))).toEqual([]);
  await origin.git('mv', 'net', 'networks');
  const moved = await origin.commit('Move');
  expect(valueOf(await source.fetch()).commit).toBe(moved);
  expect(errorOf(await source.files(moved))).toMatchObject({
    code: 'PATH_MISSING',
    kind: 'permanent',
    commit: moved,
  });
  await origin.git('rm', '--quiet', '-r', 'networks');
  const file = await origin.commit('File', { net: 'a file' });
  valueOf(await source.fetch());
  expect(errorOf(await source.files(file)).code).toBe('PATH_NOT_DIRECTORY');
});

test('everything that may not be in the managed path is named at once', async () => {
  const inner = await makeRepository(folder);
  await inner.commit('Inner', { 'x.yaml': 'x: 1\n' });
  await symlink('/etc/passwd', join(origin.directory, 'a-link.yaml'));
  await origin.write({
    'b-binary.yaml': new Uint8Array([0xff, 0xfe, 0x41, 0]),
    'c-lfs.yaml': 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n',
    'e-nul.yaml': 'a\0b',
  });
  await origin.git(
    '-c',
    'protocol.file.allow=always',
    'submodule',
    'add',
    '--quiet',
    inner.directory,
    'd-module',
  );
  const links = await origin.commit('Links');
  const source = await open();
  valueOf(await source.fetch());
  const first = errorOf(await source.files(links));
  expect(first).toMatchObject({ code: 'SYMLINK', kind: 'permanent', commit: links });
  expect(first.paths).toEqual(['a-link.yaml', 'b-binary.yaml', 'c-lfs.yaml', 'd-module', 'e-nul.yaml']);
  expect(first.message).toContain('a-link.yaml is a symbolic link');
  expect(first.message).toContain('c-lfs.yaml is a Git LFS pointer');
  expect(first.message).toContain('d-module is a submodule');
});

test('sizes are bounded: one file, all files, their number', async () => {
  const commit = await origin.commit('Big', {
    'big.yaml': 'x'.repeat(2 * 1024 * 1024),
    'fine.yaml': 'a: 1\n',
    'huge-but-no-spec.bin': 'y'.repeat(3 * 1024 * 1024),
  });
  const attempts = [
    { limits: {}, paths: ['big.yaml'] },
    { limits: { fileBytes: 4_000_000, totalBytes: 2_000_000 }, paths: [''] },
    { limits: { fileBytes: 4_000_000, files: 1 }, paths: [''] },
  ];
  for (const { limits, paths } of attempts) {
    const source = await open({ limits });
    valueOf(await source.fetch());
    expect(errorOf(await source.files(commit))).toMatchObject({
      code: 'TOO_LARGE',
      kind: 'permanent',
      paths,
    });
  }
  const roomy = await open({ limits: { fileBytes: 4_000_000 } });
  expect(Object.keys(await filesOf(roomy, commit))).toEqual(['big.yaml', 'fine.yaml']);
});

test('line ends are kept, a byte order mark is dropped, names may be in any script, executables are fine', async () => {
  await origin.write({ 'netz-\u00E4\u6771\u4EAC.yaml': '\uFEFFa: 1\r\nb: \u00FC\r\n', 'run.yaml': 'c: 3\n' });
  await chmod(join(origin.directory, 'run.yaml'), 0o755);
  const commit = await origin.commit('Text');
  const source = await open();
  valueOf(await source.fetch());
  expect(await filesOf(source, commit)).toEqual({
    'netz-\u00E4\u6771\u4EAC.yaml': 'a: 1\r\nb: \u00FC\r\n',
    'run.yaml': 'c: 3\n',
  });
});

test('control characters in names are refused and not printed', async () => {
  const commit = await origin.commit('Bad name', { 'a\u001B[31m.yaml': 'a: 1\n' });
  const source = await open();
  valueOf(await source.fetch());
  const error = errorOf(await source.files(commit));
  expect(error.code).toBe('BAD_PATH');
  expect(error.message).not.toContain('\u001B');
});

test('what damaged files in our own store is found and copied again', async () => {
  const commit = await origin.commit('One', { 'a.yaml': 'a: 1\n' });
  const source = await open();
  valueOf(await source.fetch());
  const blob = await origin.git('rev-parse', 'HEAD:a.yaml');
  const loose = join(folder, 'store/current/objects', blob.slice(0, 2), blob.slice(2));
  await writeFile(loose, '');
  const again = await open();
  expect(errorOf(await again.files(commit)).code).toBe('OBJECT_DAMAGED');
  expect(valueOf(await again.fetch()).commit).toBe(commit);
  expect(await filesOf(again, commit)).toEqual({ 'a.yaml': 'a: 1\n' });
});

test('many objects are copied as one pack that git finds in order', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [
      `n${index % 7}/f${index}.yaml`,
      `a: ${'x'.repeat(index * 3)}\n`,
    ]),
  );
  const commit = await origin.commit('Many', { ...many, 'empty.yaml': '' });
  const source = await open();
  expect(valueOf(await source.fetch()).commit).toBe(commit);
  expect(await filesOf(source, commit)).toEqual({ ...many, 'empty.yaml': '' });
  const pack = join(folder, 'store/current/objects/pack');
  const names = (await readdir(pack)).filter((name) => name.endsWith('.idx'));
  expect(names).toHaveLength(1);
  await origin.git('verify-pack', join(pack, names[0] ?? ''));
  await origin.git('-C', join(folder, 'store/current'), 'fsck', '--strict');
});

test('a revision that is not in the store is brought by its name', async () => {
  const first = await origin.commit('One', { 'a.yaml': 'a: 1\n' });
  await origin.commit('Two', { 'a.yaml': 'a: 2\n' });
  const source = await open();
  expect(valueOf(await source.revision(first)).subject).toBe('One');
  expect(await filesOf(source, first)).toEqual({ 'a.yaml': 'a: 1\n' });
  expect(errorOf(await source.revision('1'.repeat(40))).kind).toBe('permanent');
});

test('what is no repository, or one that can not be read, is refused with its reason', async () => {
  const fetchError = async (url: string): Promise<string> =>
    errorOf(await (await open({}, url)).fetch()).code;
  expect(await fetchError(join(folder, 'nowhere'))).toBe('REPOSITORY_MISSING');
  expect(await fetchError(folder)).toBe('NOT_A_REPOSITORY');
  const sha256 = join(folder, 'sha256');
  await origin.git('init', '--quiet', '--object-format=sha256', sha256);
  expect(await fetchError(sha256)).toBe('SHA256_REPOSITORY');
  await origin.commit('One', { 'a.yaml': 'a: 1\n' });
  await writeFile(join(origin.directory, '.git/objects/info/alternates'), '/nowhere/objects\n');
  expect(await fetchError(origin.directory)).toBe('UNSUPPORTED_REPOSITORY');
  await rm(join(origin.directory, '.git/objects/info/alternates'));
  await origin.git('gc', '--quiet');
  expect(errorOf(await (await open({ limits: { packBytes: 10 } })).fetch()).code).toBe('TOO_LARGE');
});

test('bad options are refused before anything happens', async () => {
  const store = join(folder, 'store');
  const base = { url: origin.directory, ref: { branch: 'main' }, path: '', store };
  const codeOf = async (options: Partial<SourceOptions>): Promise<string> =>
    errorOf(await openSource({ ...base, ...options })).code;
  expect(await codeOf({ url: 'ssh://git@example.org/a.git' })).toBe('UNSUPPORTED_URL');
  expect(await codeOf({ url: 'git@example.org:a.git' })).toBe('UNSUPPORTED_URL');
  expect(await codeOf({ path: '../outside' })).toBe('BAD_OPTION');
  expect(await codeOf({ ref: { commit: 'abc' } })).toBe('BAD_OPTION');
  for (const branch of ['', '-upload-pack', 'a..b', 'a b', 'a.lock', 'a/', '/a', 'a\nb', 'a@{1}']) {
    expect(await codeOf({ ref: { branch } })).toBe('BAD_OPTION');
  }
});

test('an aborted or closed source says so', async () => {
  await origin.commit('One', { 'a.yaml': 'a: 1\n' });
  const source = await open();
  expect(errorOf(await source.fetch(AbortSignal.abort())).code).toBe('ABORTED');
  await source.close();
  expect(errorOf(await source.fetch()).code).toBe('ABORTED');
});

test('two programs may open and fill one store at the same time', async () => {
  await origin.commit('One', { 'a.yaml': 'a: 1\n', 'b.yaml': 'b: 1\n' });
  const pair = await Promise.all([open(), open(), open()]);
  const revisions = await Promise.all(pair.map((source) => source.fetch()));
  expect(new Set(revisions.map((result) => valueOf(result).commit)).size).toBe(1);
  const names = await readdir(join(folder, 'store'));
  expect(names.filter((name) => name.startsWith('generation-'))).toHaveLength(1);
  expect(names).not.toContain('fetch.lock');
});

test('a lock whose owner is gone is taken over', async () => {
  const commit = await origin.commit('One', { 'a.yaml': 'a: 1\n' });
  const source = await open();
  const { hostname } = await import('node:os');
  // No process has the largest number that fits: Linux stops at 4194304.
  const owner = JSON.stringify({ pid: 2 ** 31 - 1, host: hostname(), token: 'x' });
  await writeFile(join(folder, 'store/fetch.lock'), owner);
  expect(valueOf(await source.fetch()).commit).toBe(commit);
  await writeFile(join(folder, 'store/fetch.lock'), JSON.stringify({ pid: process.pid, host: hostname() }));
  await origin.commit('Two', { 'a.yaml': 'a: 2\n' });
  const hurried = await open({ limits: { totalMs: 100 } });
  expect(errorOf(await hurried.fetch())).toMatchObject({ code: 'STORE_BUSY', kind: 'transient' });
});

test('a lock whose owner died while it made it is taken over soon', async () => {
  const commit = await origin.commit('One', { 'a.yaml': 'a: 1\n' });
  const source = await open({ limits: { totalMs: 30_000 } });
  await writeFile(join(folder, 'store/fetch.lock'), '');
  expect(valueOf(await source.fetch()).commit).toBe(commit);
});
