import * as fs from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { getConfig, resolveRef } from 'isomorphic-git';
import { isSystemError } from './attempt.ts';
import type { ObjectReader } from './git-object.ts';
import { isNotFound, openReader } from './git-object.ts';
import { SourceFault } from './source-error.ts';
import type { Limits } from './source-options.ts';

/** A repository on this machine, its indirections followed. Nothing in it is ever written. */
export interface LocalRepository {
  /** The folder that was named, or the one above it that is the top of the work tree. */
  readonly root: string;
  /** Where HEAD is: differs from `gitdir` in a linked work tree. */
  readonly headdir: string;
  /** Where refs and objects are. */
  readonly gitdir: string;
  /** `gitdir` and those that it borrows objects from. */
  readonly gitdirs: readonly string[];
}

/** Finds the repository of which `directory` is the top folder (or the bare directory). Throws what is wrong with it. */
export async function findRepository(directory: string, limits: Limits): Promise<LocalRepository> {
  const headdir = await findHeaddir(directory);
  const common = await readText(join(headdir, 'commondir'));
  const gitdir = common === undefined ? headdir : resolve(headdir, common.trim());
  await requireSupported(directory, gitdir);
  const gitdirs = await followAlternates(directory, gitdir);
  const bytes = await packBytes(gitdirs);
  if (bytes > limits.packBytes) {
    throw new SourceFault(
      'TOO_LARGE',
      `${directory} has ${bytes} bytes in packs, more than ${limits.packBytes}`,
    );
  }
  return { root: directory, headdir, gitdir, gitdirs };
}

/** A reader of the repository's objects. */
export function readerOf(repository: LocalRepository): ObjectReader {
  return openReader(repository.gitdirs);
}

/**
 * The object that a full ref name points to, or undefined. Asked twice before it is believed missing: `git pack-refs` moves a
 * ref from one place to another while we look.
 */
export async function resolveLocalRef(repository: LocalRepository, ref: string): Promise<string | undefined> {
  for (let time = 0; time < 2; time += 1) {
    try {
      return await resolveRef({ fs, gitdir: repository.gitdir, ref });
    } catch (cause) {
      if (!isNotFound(cause)) throw cause;
    }
  }
  return undefined;
}

/** The object that HEAD points to; undefined on a branch without commits. */
export async function resolveHead(repository: LocalRepository): Promise<string | undefined> {
  const head = ((await readText(join(repository.headdir, 'HEAD'))) ?? '').trim();
  return head.startsWith('ref:') ? resolveLocalRef(repository, head.slice(4).trim()) : head;
}

/** Bytes in the packs of these repositories. */
export async function packBytes(gitdirs: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const gitdir of gitdirs) {
    const folder = join(gitdir, 'objects/pack');
    for (const name of await listNames(folder)) {
      if (name.endsWith('.pack')) bytes += (await stat(join(folder, name))).size;
    }
  }
  return bytes;
}

async function findHeaddir(directory: string): Promise<string> {
  if (!(await isFolder(directory))) {
    throw new SourceFault('REPOSITORY_MISSING', `${directory} does not exist or is not a folder`);
  }
  const inner = join(directory, '.git');
  if (await isFolder(inner)) return inner;
  // gitrepository-layout(5): a linked work tree or submodule has a file there that names the real place.
  const link = /^gitdir: (.+)$/mu.exec((await readText(inner)) ?? '')?.[1];
  const candidate = link === undefined ? directory : resolve(directory, link.trim());
  const isRepository =
    (await isFile(join(candidate, 'HEAD'))) || (await isFile(join(candidate, 'commondir')));
  if (isRepository) return candidate;
  throw new SourceFault('NOT_A_REPOSITORY', `${directory} is not a Git repository`);
}

async function requireSupported(directory: string, gitdir: string): Promise<void> {
  if (!(await isFolder(join(gitdir, 'objects')))) {
    throw new SourceFault(
      'NOT_A_REPOSITORY',
      `${directory} is not a Git repository: ${gitdir} has no objects`,
    );
  }
  const extension = async (name: string): Promise<string> => {
    const value: unknown = await getConfig({ fs, gitdir, path: `extensions.${name}` });
    return typeof value === 'string' ? value.toLowerCase() : '';
  };
  if ((await extension('objectformat')) === 'sha256') {
    throw new SourceFault('SHA256_REPOSITORY', `${directory} uses SHA-256 object names`);
  }
  const refs = await extension('refstorage');
  if (refs !== '' && refs !== 'files') {
    throw new SourceFault('UNSUPPORTED_REPOSITORY', `${directory} stores its refs as ${refs}`);
  }
}

async function followAlternates(directory: string, gitdir: string): Promise<readonly string[]> {
  const found = [gitdir];
  for (let index = 0; index < found.length; index += 1) {
    const objects = join(found[index] ?? '', 'objects');
    const lines = ((await readText(join(objects, 'info/alternates'))) ?? '').split('\n');
    for (const line of lines
      .map((text) => text.trim())
      .filter((text) => text !== '' && !text.startsWith('#'))) {
      const other = isAbsolute(line) ? line : resolve(objects, line);
      const isUsable = basename(other) === 'objects' && (await isFolder(other));
      if (!isUsable || found.length > MOST_ALTERNATES) {
        throw new SourceFault(
          'UNSUPPORTED_REPOSITORY',
          `${directory} borrows objects from ${other}, which can't be used`,
        );
      }
      const real = dirname(await realpath(other));
      if (!found.includes(real)) found.push(real);
    }
  }
  return found;
}

const MOST_ALTERNATES = 10;

async function isFolder(path: string): Promise<boolean> {
  return (await statOrUndefined(path))?.isDirectory() ?? false;
}

async function isFile(path: string): Promise<boolean> {
  return (await statOrUndefined(path))?.isFile() ?? false;
}

async function statOrUndefined(path: string): Promise<fs.Stats | undefined> {
  return absentAsUndefined(stat(path));
}

/** The text of a small file, or undefined when there is none. */
export async function readText(path: string): Promise<string | undefined> {
  return absentAsUndefined(readFile(path, 'utf8'));
}

/** The names in a folder, none when it does not exist. */
export async function listNames(path: string): Promise<readonly string[]> {
  return (await absentAsUndefined(readdir(path))) ?? [];
}

async function absentAsUndefined<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (cause) {
    if (isSystemError(cause) && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')) return undefined;
    throw cause;
  }
}
