import { join } from 'node:path';
import { expect } from 'vitest';
import type { Result } from '../../src/lib/result.ts';
import type { Source } from '../../src/git/source.ts';
import { openSource } from '../../src/git/source.ts';
import type { SourceError } from '../../src/git/source-error.ts';
import type { SourceFile } from '../../src/git/source-file.ts';
import type { SourceOptions } from '../../src/git/source-options.ts';

/** The value of a result that must be a success. */
export function valueOf<T>(result: Result<T, SourceError>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** The error of a result that must be a failure; checks that it says what to do. */
export function errorOf(result: Result<unknown, SourceError>): SourceError {
  if (result.ok) throw new Error('expected a failure');
  expect(result.error.hint).not.toBe('');
  return result.error;
}

/** Opens a source on branch main with a store below `folder`. */
export async function openIn(
  folder: string,
  url: string,
  options: Partial<SourceOptions> = {},
): Promise<Source> {
  const store = join(folder, 'store');
  return valueOf(await openSource({ url, ref: { branch: 'main' }, path: '', store, ...options }));
}

/** Paths and texts of files. */
export async function textsOf(files: readonly SourceFile[]): Promise<Readonly<Record<string, string>>> {
  const texts = await Promise.all(files.map(async (file) => [file.path, await file.text()] as const));
  return Object.fromEntries(texts);
}
