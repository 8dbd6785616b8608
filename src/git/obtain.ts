import { openCopier } from './copy-revision.ts';
import { openReader } from './git-object.ts';
import type { Intake } from './intake.ts';
import { isIncomplete, prove, provenObjects } from './intake.ts';
import { isWorn, renew, tidy } from './renewal.ts';
import type { Revision } from './revision.ts';
import { SourceFault } from './source-error.ts';
import type { SourceRef } from './source-options.ts';
import type { Store } from './store.ts';
import { currentGitdir, otherGenerations, readTip, writeTip } from './store.ts';
import { withFetchLock } from './store-lock.ts';

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
  if (known !== undefined) {
    await keepTip(intake.store, commit, ref);
    return known;
  }
  const fetchIt = async (): Promise<Revision> => {
    const gitdir = await currentGitdir(intake.store);
    // Another program may have fetched it while we waited.
    const revision =
      (await findProven(intake, commit, signal)) ?? (await bring(intake, gitdir, commit, ref, signal));
    await tidy(intake);
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
  await openCopier({ store, gitdir, path }, others).copy(commit);
}

async function keepTip(store: Store, commit: string, ref: SourceRef): Promise<void> {
  // A commit asked for by name may be an old one: it says less of what we have than the tip does.
  if ('commit' in ref) return;
  const gitdir = await currentGitdir(store);
  if ((await readTip(gitdir)) !== commit) await writeTip(store, gitdir, commit);
}

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
    const brought = await origin.bring(
      { store, gitdir, ref, commit, path, proven: provenObjects(intake, gitdir) },
      signal,
    );
    revision = await prove(intake, gitdir, brought, signal);
  } catch (cause) {
    if (!isIncomplete(cause)) throw cause;
    // The server sent only what we lack by its reckoning, and our store lacks more than that: start over beside it.
    intake.log('git.store_incomplete', { url: origin.label, commit, reason: cause.message });
    return renew(intake, commit, ref, signal);
  }
  await keepTip(store, revision.commit, ref);
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
