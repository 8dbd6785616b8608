import { mkdir, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readWorkTree } from '../../src/git/work-tree.ts';
import type { GitRepository } from '../support/git-repository.ts';
import { makeFolder, makeRepository, removeFolder } from '../support/git-repository.ts';
import { errorOf, textsOf, valueOf } from './support.ts';

let folder: string;
let work: GitRepository;

beforeEach(async () => {
  folder = await makeFolder();
  work = await makeRepository(folder);
});

afterEach(() => removeFolder(folder));

test('uncommitted files are read like committed ones, hidden folders are skipped', async () => {
  await work.commit('One', { 'b/c.yml': 'c: 1\n', 'a.yaml': 'a: 1\n' });
  await work.write({
    'a.yaml': '\uFEFFa: 2\r\n',
    'b/new.yaml': 'n: 1\n',
    '.github/x.yaml': 'x',
    'b/.y.yaml': 'y',
  });
  const files = valueOf(await readWorkTree(work.directory));
  expect(files.map(({ path }) => path)).toEqual(['a.yaml', 'b/c.yml', 'b/new.yaml']);
  expect((await textsOf(files))['a.yaml']).toBe('a: 2\r\n');
  expect(files[0]?.oid).toBe(await work.git('hash-object', 'a.yaml'));
  expect(files[1]?.oid).toBe(await work.git('rev-parse', 'HEAD:b/c.yml'));
});

test('what a commit may not have, a folder may not have either', async () => {
  await symlink('/etc/passwd', join(work.directory, 'a.yaml'));
  await mkdir(join(work.directory, 'inner/.git'), { recursive: true });
  await work.write({
    'inner/x.yaml': 'x: 1\n',
    'big.yaml': 'x'.repeat(2_000_000),
    'binary.yaml': new Uint8Array([0xc3, 0x28]),
  });
  const socket = createServer();
  await new Promise<void>((resolve) => {
    socket.listen(join(work.directory, 'socket.yaml'), resolve);
  });
  const error = errorOf(await readWorkTree(work.directory));
  socket.close();
  expect(error.paths).toEqual(['a.yaml', 'big.yaml', 'binary.yaml', 'inner', 'socket.yaml']);
  expect(error.code).toBe('SYMLINK');
});

test('numbers and sums are bounded', async () => {
  await work.write({ 'a.yaml': 'a'.repeat(600), 'b.yaml': 'b'.repeat(600) });
  expect(errorOf(await readWorkTree(work.directory, { files: 1 })).code).toBe('TOO_LARGE');
  expect(errorOf(await readWorkTree(work.directory, { totalBytes: 1000 })).code).toBe('TOO_LARGE');
  expect(valueOf(await readWorkTree(work.directory, { totalBytes: 1200, files: 2 }))).toHaveLength(2);
});

test('a missing folder, a file and an empty folder are told apart', async () => {
  await work.write({ 'a.yaml': 'a: 1\n', 'empty/.gitkeep': '' });
  expect(errorOf(await readWorkTree(join(work.directory, 'nope'))).code).toBe('PATH_MISSING');
  expect(errorOf(await readWorkTree(join(work.directory, 'a.yaml'))).code).toBe('PATH_NOT_DIRECTORY');
  expect(valueOf(await readWorkTree(join(work.directory, 'empty')))).toEqual([]);
});
