import { mkdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { EmbeddedFailure } from './embedded-error.ts';

/**
 * Makes a directory that only this user may enter (mode 0700), with all that is missing above it, and gives back its
 * path with symbolic links resolved. One that is there stays as it is.
 *
 * @throws EmbeddedFailure DIRECTORY_UNUSABLE
 */
export function makeDirectory(directory: string): string {
  try {
    makeWithParents(path.resolve(directory));
    return realpathSync(directory);
  } catch (cause) {
    throw new EmbeddedFailure(
      'DIRECTORY_UNUSABLE',
      `cannot make the directory ${directory}: ${reason(cause)}`,
      'Name a directory that you may write to.',
    );
  }
}

/** Walks up by hand: the recursive mkdir of Node never ends below /proc, where nothing can be made. */
function makeWithParents(directory: string): void {
  const parent = path.dirname(directory);
  try {
    makeOne(directory);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT' || parent === directory) throw cause;
    makeWithParents(parent);
    makeOne(directory);
  }
}

function makeOne(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    if (!statSync(directory).isDirectory()) throw Object.assign(cause as Error, { code: 'ENOTDIR' });
  }
}

function reason(cause: unknown): string {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  return REASONS[code] ?? message;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTDIR: 'a file is in the way',
  ENOENT: 'nothing can be made there',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
};
