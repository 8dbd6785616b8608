import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { objectName } from '../../src/git/git-object.ts';
import type { LocalSource } from '../../src/git/open-local.ts';
import { openLocal } from '../../src/git/open-local.ts';
import type { GitRepository } from '../support/git-repository.ts';
import { makeFolder, makeRepository, removeFolder, repositoryAt } from '../support/git-repository.ts';
import { errorOf, textsOf, valueOf } from './support.ts';

let folder: string;
let work: GitRepository;

beforeEach(async () => {
  folder = await makeFolder();
  work = await makeRepository(folder);
});

afterEach(() => removeFolder(folder));

async function open(directory = work.directory): Promise<LocalSource> {
  return valueOf(await openLocal(directory));
}

test('every revision name that git resolves resolves to the same commit', async () => {
  await work.commit('One', { 'a.yaml': 'a: 1\n' });
  await work.git('tag', '--annotate', '--message', 'Release', 'v1.0');
  await work.commit('Two', { 'a.yaml': 'a: 2\n' });
  await work.git('checkout', '--quiet', '-b', 'feature/side', 'HEAD~1');
  await work.commit('Side', { 'b.yaml': 'b: 1\n' });
  await work.git('checkout', '--quiet', 'main');
  await work.git('merge', '--quiet', '--no-ff', '--message', 'Merge', 'feature/side');
  await work.git('update-ref', 'refs/remotes/origin/main', 'HEAD~1');
  const local = await open();
  const head = await work.git('rev-parse', 'HEAD');
  const names = ['HEAD', '@', 'main', 'refs/heads/main', 'heads/main', 'v1.0', 'feature/side', 'origin/main'];
  const derived = ['HEAD~1', 'HEAD~', 'HEAD^2', 'HEAD^2~1', 'HEAD^^', 'HEAD~2', 'HEAD^0', 'main~0', 'v1.0^0'];
  for (const packed of [false, true]) {
    if (packed) await work.git('gc', '--quiet');
    for (const name of [...names, ...derived, head, head.slice(0, 7), `${head.slice(0, 12)}~1`]) {
      const expected = await work.git('rev-parse', `${name}^{commit}`);
      expect([name, valueOf(await local.expand(name))]).toEqual([name, expected]);
    }
  }
  for (const name of ['nope', 'HEAD~9', 'HEAD^3', '0'.repeat(40), 'abcdef1', '', 'HEAD:a.yaml', '--help']) {
    expect([name, errorOf(await local.revision(name)).kind]).toEqual([name, 'permanent']);
  }
});

test('a short name means a commit even when a blob shares it, and is refused when two commits do', async () => {
  const commit = await work.commit('One', { 'a.yaml': 'a: 1\n' });
  const short = commit.slice(0, 4);
  const local = await open();
  await work.write({ twin: contentNamed('blob', short, (number) => `blob ${number}\n`) });
  expect((await work.git('hash-object', '-w', 'twin')).slice(0, 4)).toBe(short);
  expect(valueOf(await local.expand(short))).toBe(commit);
  const body = await work.git('cat-file', 'commit', commit);
  await work.write({ twin: contentNamed('commit', short, (number) => `${body} ${number}\n`) });
  await work.git('hash-object', '-t', 'commit', '-w', 'twin');
  expect(errorOf(await local.expand(short)).code).toBe('AMBIGUOUS_REVISION');
  expect(valueOf(await local.expand(commit.slice(0, 12)))).toBe(commit);
});

/** The first of numbered contents whose object name starts with `start`. */
function contentNamed(type: 'blob' | 'commit', start: string, content: (number: number) => string): string {
  for (let number = 0; ; number += 1) {
    if (objectName(type, Buffer.from(content(number))).startsWith(start)) return content(number);
  }
}

test('files of any revision are read in place, from a folder below the top too', async () => {
  await work.commit('One', { 'net/a.yaml': 'a: 1\n', 'x.yaml': 'x: 1\n' });
  await work.commit('Two', { 'net/a.yaml': 'a: 2\n' });
  await work.write({ 'net/a.yaml': 'a: uncommitted\n' });
  const local = await open(join(work.directory, 'net'));
  expect([local.root, local.prefix]).toEqual([work.directory, 'net']);
  expect(await textsOf(valueOf(await local.files('HEAD~1', local.prefix)))).toEqual({ 'a.yaml': 'a: 1\n' });
  expect(await textsOf(valueOf(await local.files('main', '')))).toEqual({
    'net/a.yaml': 'a: 2\n',
    'x.yaml': 'x: 1\n',
  });
  expect(valueOf(await local.relation('HEAD~1', 'HEAD'))).toBe('descendant');
  expect(valueOf(await local.relation('HEAD', 'HEAD~1'))).toBe('rewound');
  expect(valueOf(await local.log('HEAD', 5)).map(({ subject }) => subject)).toEqual(['Two', 'One']);
});

test('HEAD of a linked work tree and a detached HEAD are their own', async () => {
  const first = await work.commit('One', { 'a.yaml': 'a: 1\n' });
  await work.commit('Two', { 'a.yaml': 'a: 2\n' });
  const linked = join(folder, 'linked');
  await work.git('worktree', 'add', '--quiet', '--detach', linked, first);
  const local = await open(linked);
  expect(valueOf(await local.expand('HEAD'))).toBe(first);
  const side = await repositoryAt(linked).commit('Side', { 'a.yaml': 'a: 3\n' });
  expect(valueOf(await local.expand('HEAD'))).toBe(side);
  expect(valueOf(await local.expand('main'))).toBe(await work.git('rev-parse', 'main'));
});

test('a folder in no repository and a branch without commits are errors', async () => {
  const plain = join(folder, 'plain');
  await mkdir(plain);
  expect(errorOf(await openLocal(plain)).code).toBe('NOT_A_REPOSITORY');
  expect(errorOf(await (await open()).revision('HEAD')).code).toBe('COMMIT_MISSING');
});
