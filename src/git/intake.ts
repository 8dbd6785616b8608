import { proveRevision } from './copy-revision.ts';
import { openReader } from './git-object.ts';
import type { Origin } from './origin.ts';
import type { Revision } from './revision.ts';
import { SourceFault } from './source-error.ts';
import type { Limits, SourceLog } from './source-options.ts';
import type { Store } from './store.ts';

/** What obtaining a revision needs. */
export interface Intake {
  readonly origin: Origin;
  readonly store: Store;
  readonly path: string;
  readonly limits: Limits;
  readonly clock: () => number;
  readonly log: SourceLog;
  /** Revisions proven since the program started, by `gitdir commit`. */
  readonly proven: Map<string, Revision>;
  /** The objects that were read for it, by gitdir: revisions share most of theirs. */
  readonly objects: Map<string, Set<string>>;
}

/** Reads a revision from a repository of ours, unless it was read before. Throws OBJECT_MISSING or OBJECT_DAMAGED. */
export async function prove(
  intake: Intake,
  gitdir: string,
  commit: string,
  signal: AbortSignal,
): Promise<Revision> {
  const key = `${gitdir} ${commit}`;
  const known = intake.proven.get(key);
  if (known !== undefined) return known;
  const objects = provenObjects(intake, gitdir);
  const revision = await proveRevision(openReader([gitdir]), commit, intake.path, objects, signal);
  intake.proven.set(key, revision);
  return revision;
}

/** The objects known to be in a repository of ours with all that they refer to under the managed path. */
export function provenObjects({ objects }: Intake, gitdir: string): Set<string> {
  const known = objects.get(gitdir);
  if (known !== undefined && known.size < MOST_OBJECTS) return known;
  const fresh = new Set<string>();
  // Only the repository in use counts.
  objects.clear();
  objects.set(gitdir, fresh);
  return fresh;
}

const MOST_OBJECTS = 200_000;

/** True for the faults that say that a repository lacks something. */
export function isIncomplete(cause: unknown): cause is SourceFault {
  if (!(cause instanceof SourceFault)) return false;
  return cause.error.code === 'OBJECT_MISSING' || cause.error.code === 'OBJECT_DAMAGED';
}
