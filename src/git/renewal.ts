import { rm } from 'node:fs/promises';
import type { Copier } from './copy-revision.ts';
import { openCopier } from './copy-revision.ts';
import { openReader } from './git-object.ts';
import type { Intake } from './intake.ts';
import { isIncomplete, prove } from './intake.ts';
import { listNames, packBytes } from './local-repository.ts';
import type { Revision } from './revision.ts';
import { SourceFault } from './source-error.ts';
import type { Limits, SourceRef } from './source-options.ts';
import {
  addGeneration,
  currentGitdir,
  findLeftovers,
  otherGenerations,
  readAccepted,
  useGeneration,
  writeTip,
} from './store.ts';

/** There is no garbage collection in isomorphic-git, so a worn store is replaced by a fresh clone. */
export async function isWorn(gitdir: string, limits: Limits): Promise<boolean> {
  const names = await listNames(`${gitdir}/objects/pack`);
  const packs = names.filter((name) => name.endsWith('.pack')).length;
  return packs > limits.packs || (packs > 1 && (await packBytes([gitdir])) > limits.storeBytes);
}

/** Fetches a revision into a fresh repository, copies there what was accepted, and puts it in the place of the current one. */
export async function renew(
  intake: Intake,
  commit: string,
  ref: SourceRef,
  signal: AbortSignal,
): Promise<Revision> {
  const { origin, store, path } = intake;
  const old = await currentGitdir(store);
  const gitdir = await addGeneration(store);
  let revision;
  try {
    const brought = await origin.bring({ store, gitdir, ref, commit, path, proven: new Set() }, signal);
    revision = await proveFresh(intake, gitdir, brought, signal);
    await copyAccepted(intake, gitdir, signal);
    await copyHistory(intake, gitdir, revision.commit, signal);
    await writeTip(store, gitdir, revision.commit);
    await useGeneration(store, gitdir);
  } catch (cause) {
    await rm(gitdir, { recursive: true, force: true });
    throw cause;
  }
  // Whoever accepted a revision before the switch, and after we listed them, wrote it down: see keepAccepted for the other half.
  await copyAccepted(intake, gitdir, NEVER);
  intake.log('git.store_renewed', { url: origin.label, commit: revision.commit, from: old, to: gitdir });
  return revision;
}

/** Removes what is left behind once it is older than any operation; nothing that was accepted goes with it. */
export async function tidy(intake: Intake): Promise<void> {
  const leftovers = await findLeftovers(intake.store, intake.clock() - GRACE_MS);
  if (leftovers.length === 0) return;
  await copyAccepted(intake, await currentGitdir(intake.store), NEVER);
  for (const path of leftovers) await rm(path, { recursive: true, force: true });
}

// Longer than any operation takes, so that nobody reads what is removed.
const GRACE_MS = 3_600_000;

// What keeps accepted revisions is seen through, also when the program is about to end.
const NEVER: AbortSignal = new AbortController().signal;

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

async function copyAccepted(intake: Intake, gitdir: string, signal: AbortSignal): Promise<void> {
  const { store, log, origin } = intake;
  const copier = await openCopierFromOthers(intake, gitdir);
  for (const { sequence, commit } of await readAccepted(store)) {
    try {
      await copier.copy(commit, signal);
    } catch (cause) {
      if (!isIncomplete(cause)) throw cause;
      log('git.accepted_revision_lost', { url: origin.label, sequence, commit, reason: cause.message });
    }
  }
}

async function copyHistory(intake: Intake, gitdir: string, tip: string, signal: AbortSignal): Promise<void> {
  const copier = await openCopierFromOthers(intake, gitdir);
  await copier.copyHistory(tip, signal);
}

async function openCopierFromOthers({ store, path }: Intake, gitdir: string): Promise<Copier> {
  const all = [await currentGitdir(store), ...(await otherGenerations(store))];
  return openCopier({ store, gitdir, path }, openReader(all.filter((other) => other !== gitdir)));
}
