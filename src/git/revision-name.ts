import * as fs from 'node:fs';
import { Errors, expandOid, expandRef } from 'isomorphic-git';
import { isNotFound } from './git-object.ts';
import type { LocalRepository } from './local-repository.ts';
import { readerOf, resolveHead, resolveLocalRef } from './local-repository.ts';
import { peelToCommit, readRevision } from './revision.ts';
import { SourceFault } from './source-error.ts';
import { FULL_OID } from './source-options.ts';

/**
 * The commit that a name stands for, as in gitrevisions(7): HEAD, @, branches, tags, full ref names, object names of four digits
 * or more, each followed by any number of `~N` and `^N`. Throws COMMIT_MISSING or AMBIGUOUS_REVISION.
 */
export async function expandRevision(repository: LocalRepository, name: string): Promise<string> {
  const match = /^(.+?)((?:[~^]\d*)*)$/u.exec(name.trim());
  const base = match?.[1] ?? '';
  const reader = readerOf(repository);
  const start = await resolveName(repository, base);
  if (start === undefined) throw missing(repository, name);
  let commit = await peelToCommit(reader, start);
  for (const [, sign, digits] of (match?.[2] ?? '').matchAll(/([~^])(\d*)/gu)) {
    const count = digits === '' ? 1 : Number(digits);
    // `~N` is N times the first parent; `^N` is the Nth parent, `^0` the commit itself.
    const parents = sign === '~' ? Array.from({ length: count }, () => 1) : [count].filter((n) => n > 0);
    for (const number of parents) {
      const parent = (await readRevision(reader, commit)).parents[number - 1];
      if (parent === undefined) throw missing(repository, name);
      commit = parent;
    }
  }
  return commit;
}

function missing(repository: LocalRepository, name: string): SourceFault {
  return new SourceFault('COMMIT_MISSING', `${repository.root} has no commit "${name}"`);
}

async function resolveName(repository: LocalRepository, base: string): Promise<string | undefined> {
  if (base === 'HEAD' || base === '@') return resolveHead(repository);
  if (FULL_OID.test(base)) return (await readerOf(repository).read(base))?.oid;
  try {
    const ref = await expandRef({ fs, gitdir: repository.gitdir, ref: base });
    const oid = await resolveLocalRef(repository, ref);
    if (oid !== undefined) return oid;
  } catch (cause) {
    if (!isNotFound(cause)) throw cause;
  }
  return /^[0-9a-f]{4,39}$/u.test(base) ? expandShortName(repository, base) : undefined;
}

async function expandShortName(repository: LocalRepository, short: string): Promise<string | undefined> {
  const candidates = new Set<string>();
  for (const gitdir of repository.gitdirs) {
    for (const oid of await matches(gitdir, short)) candidates.add(oid);
  }
  // Blobs and trees may start with the same digits: only what leads to a commit is meant.
  const reader = readerOf(repository);
  const commits = new Set<string>();
  for (const oid of candidates) {
    const type = (await reader.read(oid))?.type;
    if (type === 'commit' || type === 'tag') commits.add(oid);
  }
  const [first, second] = commits;
  if (second === undefined) return first;
  throw new SourceFault(
    'AMBIGUOUS_REVISION',
    `${repository.root} has several commits that start with ${short}`,
  );
}

async function matches(gitdir: string, short: string): Promise<readonly string[]> {
  try {
    return [await expandOid({ fs, gitdir, oid: short })];
  } catch (cause) {
    if (isNotFound(cause)) return [];
    if (cause instanceof Errors.AmbiguousError) return cause.data.matches;
    throw cause;
  }
}
