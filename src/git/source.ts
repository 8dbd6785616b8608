import type { Result } from '../lib/result.ts';
import type { Relation } from './ancestry.ts';
import { listHistory, relate } from './ancestry.ts';
import { attempt } from './attempt.ts';
import { openReader } from './git-object.ts';
import { localOrigin } from './local-origin.ts';
import { listFiles, nothingKnown } from './listing.ts';
import type { Intake } from './intake.ts';
import { keepAccepted, obtain } from './obtain.ts';
import type { Revision } from './revision.ts';
import { readRevision } from './revision.ts';
import { remoteOrigin } from './remote-origin.ts';
import { parseAddress } from './source-address.ts';
import type { SourceError } from './source-error.ts';
import type { SourceFile } from './source-file.ts';
import type { SourceOptions, SourceRef } from './source-options.ts';
import { DEFAULT_LIMITS, managedPath, qualifiedRef } from './source-options.ts';
import { currentGitdir, openStore, readAccepted, writeAccepted } from './store.ts';

/** A repository that is followed. Any number of programs may have the same source open on the same store. */
export interface Source {
  /** What may be shown of its address. */
  readonly label: string;
  /** The commit that the ref points to now, proven: commit, managed tree and every managed blob are readable in our own store. */
  fetch(signal?: AbortSignal): Promise<Result<Revision, SourceError>>;
  /** A commit by its full name, from our own store or, when it is not there, from the origin; proven alike. */
  revision(commit: string, signal?: AbortSignal): Promise<Result<Revision, SourceError>>;
  /** The managed files of a commit in our own store, in canonical order; or everything that is wrong with them. */
  files(commit: string, signal?: AbortSignal): Promise<Result<readonly SourceFile[], SourceError>>;
  /** Whether `newer` contains `older`, as far as our own store knows. */
  relation(older: string, newer: string): Promise<Relation>;
  /** Keeps a revision of the store readable for ever, whatever becomes of the origin. Rejects with SourceFault if it can't. */
  accept(commit: string, sequence: number): Promise<void>;
  /** The accepted revisions by ascending sequence. */
  accepted(): Promise<readonly { readonly sequence: number; readonly commit: string }[]>;
  /** Up to `limit` commits from `commit` on backwards, newest first, as far as our own store has them. */
  log(commit: string, limit: number): Promise<readonly Revision[]>;
  /** Stops what is running and lets go of connections. */
  close(): Promise<void>;
}

/** Opens a source; asks nothing of the origin yet. */
export function openSource(options: SourceOptions): Promise<Result<Source, SourceError>> {
  return attempt(async () => {
    qualifiedRef(options.ref);
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const address = parseAddress(options.url, options.credentials);
    const path = managedPath(options.path);
    return sourceOf(options.ref, {
      origin:
        address.kind === 'local'
          ? localOrigin(address.directory, limits)
          : remoteOrigin(address.url, { ...address, ca: options.ca, limits }),
      store: await openStore(options.store),
      path,
      limits,
      clock: options.clock ?? Date.now,
      log: options.log ?? ignoreEvent,
      proven: new Map(),
      objects: new Map(),
    });
  });
}

function sourceOf(ref: SourceRef, intake: Intake): Source {
  const { store, origin, limits, path } = intake;
  const lifetime = new AbortController();
  const running = new Set<Promise<unknown>>();
  const known = nothingKnown();
  const run = async <T>(
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const outcome = work(signal === undefined ? lifetime.signal : AbortSignal.any([signal, lifetime.signal]));
    running.add(outcome);
    try {
      return await outcome;
    } finally {
      running.delete(outcome);
    }
  };
  const reader = async () => openReader([await currentGitdir(store)]);
  return {
    label: origin.label,
    fetch: (signal) =>
      attempt(() => run(signal, async (both) => obtain(intake, await origin.find(ref, both), ref, both))),
    revision: (commit, signal) =>
      attempt(() => run(signal, (both) => obtain(intake, commit, { commit }, both))),
    files: (commit, signal) =>
      attempt(() =>
        run(signal, async (both) => {
          const objects = await reader();
          const { tree } = await readRevision(objects, commit);
          return listFiles(objects, { tree, path, label: origin.label, commit }, limits, known, both);
        }),
      ),
    relation: async (older, newer) => relate(await reader(), older, newer),
    accept: async (commit, sequence) => {
      await writeAccepted(store, sequence, commit);
      await keepAccepted(store, await currentGitdir(store), path, commit);
    },
    accepted: () => readAccepted(store),
    log: async (commit, limit) => listHistory(await reader(), commit, limit),
    close: async () => {
      lifetime.abort();
      await Promise.allSettled(running);
      await origin.close();
    },
  };
}

function ignoreEvent(): void {
  // Nobody listens.
}
