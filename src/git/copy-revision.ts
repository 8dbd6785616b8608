import { walkHistory } from './ancestry.ts';
import type { GitObject, ObjectReader } from './git-object.ts';
import { openReader } from './git-object.ts';
import { proveManaged } from './managed-tree.ts';
import type { Revision } from './revision.ts';
import { readRevision } from './revision.ts';
import { SourceFault } from './source-error.ts';
import type { Store } from './store.ts';
import { writeObjects } from './store-files.ts';

/**
 * Reads a commit, its managed tree and every managed blob: the proof that nothing of the revision is missing. What is not
 * allowed there (links, bad text) is no concern of the proof. Throws OBJECT_MISSING or OBJECT_DAMAGED.
 *
 * `proven` are objects that were read before; pass the same set for several revisions to read what they share once.
 */
export async function proveRevision(
  reader: ObjectReader,
  commit: string,
  path: string,
  proven: Set<string>,
  signal?: AbortSignal,
): Promise<Revision> {
  const revision = await readRevision(reader, commit);
  await proveManaged(reader, revision.tree, path, proven, signal);
  return revision;
}

/** Copies revisions from one repository into another of ours. */
export interface Copier {
  /** Proves a revision and writes what was missing of it: commit, managed tree and managed blobs. */
  copy(commit: string, signal?: AbortSignal): Promise<Revision>;
  /** Writes what was missing of the newest 1000 commits, which ancestry and blame need. */
  copyHistory(commit: string, signal?: AbortSignal): Promise<void>;
}

/** Starts copying into `gitdir` what `origin` has under the managed path. `proven` are objects known to be in `gitdir`. */
export function openCopier(
  { store, gitdir, path }: { readonly store: Store; readonly gitdir: string; readonly path: string },
  origin: ObjectReader,
  proven: ReadonlySet<string> = new Set(),
): Copier {
  const { reader, takeCopied } = readThrough(openReader([gitdir]), origin);
  const seen = new Set(proven);
  // What refers to others is read before them, and written after them: an object that is there has all that it needs.
  const flush = (): Promise<void> => writeObjects(store.scratch, gitdir, takeCopied().toReversed());
  return {
    copy: async (commit, signal) => {
      try {
        const revision = await proveRevision(reader, commit, path, seen, signal);
        await flush();
        return revision;
      } catch (cause) {
        // Half a revision must not be written with the next one.
        takeCopied();
        throw cause;
      }
    },
    copyHistory: async (commit, signal) => {
      await walkHistory(reader, commit, { most: HISTORY }, signal);
      await flush();
    },
  };
}

const HISTORY = 1000;

function readThrough(
  own: ObjectReader,
  origin: ObjectReader,
): { readonly reader: ObjectReader; readonly takeCopied: () => readonly GitObject[] } {
  let copied = new Map<string, GitObject>();
  const read = async (oid: string): Promise<GitObject | undefined> => {
    const known = copied.get(oid) ?? (await readUnlessDamaged(own, oid));
    if (known !== undefined) return known;
    const found = await origin.read(oid);
    if (found !== undefined) copied.set(oid, found);
    return found;
  };
  const takeCopied = (): readonly GitObject[] => {
    const taken = [...copied.values()];
    copied = new Map();
    return taken;
  };
  return { reader: { read }, takeCopied };
}

async function readUnlessDamaged(reader: ObjectReader, oid: string): Promise<GitObject | undefined> {
  try {
    return await reader.read(oid);
  } catch (cause) {
    if (cause instanceof SourceFault && cause.error.code === 'OBJECT_DAMAGED') return undefined;
    throw cause;
  }
}
