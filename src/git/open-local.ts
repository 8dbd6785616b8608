import { realpath } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import type { Result } from '../lib/result.ts';
import type { Relation } from './ancestry.ts';
import { listHistory, relate } from './ancestry.ts';
import { attempt } from './attempt.ts';
import type { LocalRepository } from './local-repository.ts';
import { findRepository, readerOf } from './local-repository.ts';
import { listFiles, nothingKnown } from './listing.ts';
import type { Revision } from './revision.ts';
import { readRevision } from './revision.ts';
import { expandRevision } from './revision-name.ts';
import type { SourceError } from './source-error.ts';
import { SourceFault } from './source-error.ts';
import type { SourceFile } from './source-file.ts';
import type { Limits } from './source-options.ts';
import { DEFAULT_LIMITS, managedPath } from './source-options.ts';

/** Any revision of a repository on this machine, read in place. `name` is what expandRevision understands (HEAD~1, main, 3f2a). */
export interface LocalSource {
  /** Top folder of the work tree, or the bare repository. */
  readonly root: string;
  /** The folder that was opened, relative to the root; '' for the root itself. */
  readonly prefix: string;
  expand(name: string): Promise<Result<string, SourceError>>;
  revision(name: string): Promise<Result<Revision, SourceError>>;
  /** The files under `path`, which is relative to the root. */
  files(
    name: string,
    path: string,
    signal?: AbortSignal,
  ): Promise<Result<readonly SourceFile[], SourceError>>;
  relation(older: string, newer: string): Promise<Result<Relation, SourceError>>;
  log(name: string, limit: number): Promise<Result<readonly Revision[], SourceError>>;
}

/** Opens the repository that `directory` is in, without copying anything. */
export function openLocal(
  directory: string,
  limits: Partial<Limits> = {},
): Promise<Result<LocalSource, SourceError>> {
  const bounds = { ...DEFAULT_LIMITS, ...limits };
  return attempt(async () => {
    const repository = await findAbove(resolve(directory), bounds);
    const prefix = relative(await realpath(repository.root), await realpath(directory));
    return localSource(repository, prefix, bounds);
  });
}

function localSource(repository: LocalRepository, prefix: string, limits: Limits): LocalSource {
  const expand = (name: string): Promise<string> => expandRevision(repository, name);
  return {
    root: repository.root,
    prefix,
    expand: (name) => attempt(() => expand(name)),
    revision: (name) => attempt(async () => readRevision(readerOf(repository), await expand(name))),
    files: (name, path, signal) =>
      attempt(async () => {
        const reader = readerOf(repository);
        const { commit, tree } = await readRevision(reader, await expand(name));
        const from = { tree, path: managedPath(path), label: repository.root, commit };
        return listFiles(reader, from, limits, nothingKnown(), signal);
      }),
    relation: (older, newer) =>
      attempt(async () => relate(readerOf(repository), await expand(older), await expand(newer))),
    log: (name, limit) => attempt(async () => listHistory(readerOf(repository), await expand(name), limit)),
  };
}

async function findAbove(directory: string, limits: Limits): Promise<LocalRepository> {
  for (let folder = directory; ; folder = dirname(folder)) {
    try {
      return await findRepository(folder, limits);
    } catch (cause) {
      const isElsewhere = cause instanceof SourceFault && cause.error.code === 'NOT_A_REPOSITORY';
      if (!isElsewhere) throw cause;
      if (folder === dirname(folder))
        throw new SourceFault('NOT_A_REPOSITORY', `${directory} is not in a Git repository`);
    }
  }
}
