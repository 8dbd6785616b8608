import { compareText } from '../lib/order.ts';
import type { SourceErrorCode } from './source-error.ts';
import { SourceFault } from './source-error.ts';

/** Something that is not allowed under the managed path. */
export interface Problem {
  readonly code: SourceErrorCode;
  /** Relative to the managed path; '' is the managed path itself. */
  readonly path: string;
  /** What is wrong, where the code does not say it all. */
  readonly detail?: string;
}

/** One fault that names every file with a problem; its code is that of the first. Throws nothing when there are none. */
export function throwProblems(problems: readonly Problem[], where: string, commit?: string): void {
  const sorted = problems.toSorted((a, b) => compareText(a.path, b.path));
  const [first] = sorted;
  if (first === undefined) return;
  const shown = sorted.slice(0, SHOWN).map(describe).join('; ');
  const more = sorted.length > SHOWN ? `; and ${sorted.length - SHOWN} more` : '';
  throw new SourceFault(first.code, `${where}: ${shown}${more}`, {
    paths: sorted.map(({ path }) => path),
    ...(commit === undefined ? {} : { commit }),
  });
}

const SHOWN = 10;

function describe({ code, path, detail }: Problem): string {
  if (path === '') return detail ?? code;
  const name = path.replaceAll(/\p{Cc}/gu, '?');
  return detail === undefined ? `${name} ${WORDS[code] ?? code}` : `${name}: ${detail}`;
}

const WORDS: Partial<Record<SourceErrorCode, string>> = {
  SYMLINK: 'is a symbolic link',
  SUBMODULE: 'is a submodule',
  BAD_PATH: 'has a name that is not plain UTF-8',
  LFS_POINTER: 'is a Git LFS pointer, not the file itself',
  NOT_UTF8: 'is not UTF-8 text',
};
