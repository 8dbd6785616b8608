import { rm } from 'node:fs/promises';
import { openCopier, proveRevision } from './copy-revision.ts';
import { openReader } from './git-object.ts';
import { listNames, packBytes } from './local-repository.ts';
import type { Origin } from './origin.ts';
import type { Revision } from './revision.ts';
import { SourceFault } from './source-error.ts';
import type { Limits, SourceLog, SourceRef } from './source-options.ts';
import {
  addGeneration,
  currentGitdir,
  otherGenerations,
  readAccepted,
  sweep,
  useGeneration,
  writeTip,
} from './store.ts';
import type { Store } from './store.ts';
import { withFetchLock } from './store-lock.ts';

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
}

/**
 * Has a revision in our own store, proven readable, and returns it; asks the origin only for what is not there. For a branch it
 * may be a newer commit than the one asked for.
 */
export async function obtain(
  intake: Intake,
  commit: string,
  ref: SourceRef,
  signal: AbortSignal,
): Promise<Revision> {
  const known = await findProven(intake, commit, signal);
  if (known !== undefined) return known;
  const fetchIt = async (): Promise<Revision> => {
    const gitdir = await currentGitdir(intake.store);
    // Another program may have fetched it while we waited.
    const revision =
      (await findProven(intake, commit, signal)) ?? (await bring(intake, gitdir, commit, ref, signal));
    await sweep(intake.store, intake.clock() - GRACE_MS);
    return revision;
  };
  return withFetchLock(intake.store, intake.limits.totalMs, fetchIt, signal);
}

/** Records that a revision was accepted, and makes sure that it stays readable even when the repository is renewed right now. */
export async function keepAccepted(
  store: Store,
  gitdir: string,
  path: string,
  commit: string,
): Promise<void> {
  if ((await openReader([gitdir]).read(commit)) !== undefined) return;
  const others = openReader(await otherGenerations(store));
  await openCopier(store, gitdir, others, path).copy(commit);
}

// Longer than any operation takes, so that nobody reads what is removed.
const GRACE_MS = 3_600_000;

async function findProven(
  intake: Intake,
  commit: string,
  signal: AbortSignal,
): Promise<Revision | undefined> {
  const gitdir = await currentGitdir(intake.store);
  try {
    return await prove(intake, gitdir, commit, signal);
  } catch (cause) {
    if (isIncomplete(cause)) return undefined;
    throw cause;
  }
}

async function prove(intake: Intake, gitdir: string, commit: string, signal: AbortSignal): Promise<Revision> {
  const key = `${gitdir} ${commit}`;
  const known = intake.proven.get(key);
  if (known !== undefined) return known;
  const revision = await proveRevision(openReader([gitdir]), commit, intake.path, new Set(), signal);
  intake.proven.set(key, revision);
  return revision;
}

async function bring(
  intake: Intake,
  gitdir: string,
  commit: string,
  ref: SourceRef,
  signal: AbortSignal,
): Promise<Revision> {
  const { origin, store, path } = intake;
  let revision;
  try {
    const brought = await origin.bring({ store, gitdir, ref, commit, path }, signal);
    revision = await prove(intake, gitdir, brought, signal);
  } catch (cause) {
    if (!isIncomplete(cause)) throw cause;
    // The server sent only what we lack by its reckoning, and our store lacks more than that: start over beside it.
    intake.log('git.store_incomplete', { url: origin.label, commit, reason: cause.message });
    return renew(intake, commit, ref, signal);
  }
  // A commit asked for by name may be an old one: it says less of what we have than the tip does.
  if (!('commit' in ref)) await writeTip(store, gitdir, revision.commit);
  if (!(await isWorn(gitdir, intake.limits))) return revision;
  try {
    return await renew(intake, commit, ref, signal);
  } catch (cause) {
    // The revision is here and proven; renewing can wait.
    if (!(cause instanceof SourceFault)) throw cause;
    intake.log('git.renewal_failed', { url: origin.label, code: cause.error.code, reason: cause.message });
    return revision;
  }
}

/** There is no garbage collection in isomorphic-git, so a worn store is replaced by a fresh clone. */
async function isWorn(gitdir: string, limits: Limits): Promise<boolean> {
  const names = await listNames(`${gitdir}/objects/pack`);
  const packs = names.filter((name) => name.endsWith('.pack')).length;
  return packs > limits.packs || (packs > 1 && (await packBytes([gitdir])) > limits.storeBytes);
}

async function renew(intake: Intake, commit: string, ref: SourceRef, signal: AbortSignal): Promise<Revision> {
  const { origin, store, path } = intake;
  const old = await currentGitdir(store);
  const gitdir = await addGeneration(store);
  let revision;
  try {
    const brought = await origin.bring({ store, gitdir, ref, commit, path }, signal);
    revision = await proveFresh(intake, gitdir, brought, signal);
    await copyAccepted(intake, gitdir, revision.commit, signal);
    await writeTip(store, gitdir, revision.commit);
    await useGeneration(store, gitdir);
  } catch (cause) {
    await rm(gitdir, { recursive: true, force: true });
    throw cause;
  }
  // Whoever accepted a revision before the switch, and after we listed them, wrote it down: see keepAccepted for the other half.
  await copyAccepted(intake, gitdir, revision.commit, signal);
  intake.log('git.store_renewed', { url: origin.label, commit: revision.commit, from: old, to: gitdir });
  return revision;
}

async function proveFresh(
  intake: Intake,
  gitdir: string,
  commit: string,
  signal: AbortSignal,
): Promise<Revision> {
  try {
    return await prove(intake, gitdir, commit, signal);
  } catch (cause) {
    if (!isIncomplete(cause)) throw cause;
    throw new SourceFault(
      'PACK_INCOMPLETE',
      `${intake.origin.label} sent an incomplete revision: ${cause.message}`,
    );
  }
}

async function copyAccepted(intake: Intake, gitdir: string, tip: string, signal: AbortSignal): Promise<void> {
  const { store, path, log, origin } = intake;
  const others = (await otherGenerations(store)).filter((other) => other !== gitdir);
  const current = await currentGitdir(store);
  const from = openReader([...new Set([current, ...others])].filter((other) => other !== gitdir));
  const copier = openCopier(store, gitdir, from, path);
  const accepted = await readAccepted(store);
  for (const { sequence, commit } of accepted) {
    try {
      await copier.copy(commit, signal);
    } catch (cause) {
      if (!isIncomplete(cause)) throw cause;
      log('git.accepted_revision_lost', { url: origin.label, sequence, commit, reason: cause.message });
    }
  }
  await copier.copyHistory(tip, signal);
}

function isIncomplete(cause: unknown): cause is SourceFault {
  if (!(cause instanceof SourceFault)) return false;
  return cause.error.code === 'OBJECT_MISSING' || cause.error.code === 'OBJECT_DAMAGED';
}
