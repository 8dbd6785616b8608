import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { lstat, mkdir, readlink, rename, rm, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { init, setConfig } from 'isomorphic-git';
import { isSystemError } from './attempt.ts';
import { listNames, readText } from './local-repository.ts';
import { FULL_OID } from './source-options.ts';
import { writeWhole } from './store-files.ts';

/**
 * Our own directory. It holds generations, each a bare repository; `current` is a link to the one in use. What was accepted is
 * kept beside them and seen by all of them as refs/ovn-gitops/accepted/<sequence>.
 *
 *     current -> generation-1f..     refs/accepted/42     scratch/     fetch.lock
 */
export interface Store {
  readonly directory: string;
  /** For files that are not yet where they belong; on the same disk. */
  readonly scratch: string;
}

/** Opens the store and makes it if needed. Any number of programs may have it open. */
export async function openStore(directory: string): Promise<Store> {
  const store: Store = { directory, scratch: join(directory, 'scratch') };
  await mkdir(store.scratch, { recursive: true });
  await mkdir(acceptedFolder(store), { recursive: true });
  if ((await currentName(store)) === undefined) {
    const gitdir = await addGeneration(store);
    try {
      await symlink(gitdir.slice(directory.length + 1), join(directory, 'current'));
    } catch (cause) {
      if (!isSystemError(cause) || cause.code !== 'EEXIST') throw cause;
      // Another program was first.
      await rm(gitdir, { recursive: true, force: true });
    }
  }
  return store;
}

/** The repository in use. Resolve it once per operation: the link may move, what it pointed to stays for a while. */
export async function currentGitdir(store: Store): Promise<string> {
  return join(store.directory, await readlink(join(store.directory, 'current')));
}

/** Makes an empty repository beside the current one. */
export async function addGeneration(store: Store): Promise<string> {
  const gitdir = join(store.directory, `generation-${randomUUID()}`);
  await init({ fs, gitdir, bare: true, defaultBranch: 'tip' });
  // isomorphic-git does not fetch without; the refs that it writes there are never read.
  await setConfig({ fs, gitdir, path: 'remote.origin.fetch', value: '+refs/heads/*:refs/remotes/origin/*' });
  await symlink('../../refs', join(gitdir, 'refs/ovn-gitops'));
  return gitdir;
}

/** Makes `gitdir` the repository in use, at once for everybody. */
export async function useGeneration(store: Store, gitdir: string): Promise<void> {
  // From now on the old one ages: see findLeftovers.
  const now = new Date();
  await utimes(await currentGitdir(store), now, now);
  const link = join(store.scratch, randomUUID());
  await symlink(gitdir.slice(store.directory.length + 1), link);
  await rename(link, join(store.directory, 'current'));
}

/** The repositories other than the current one, which may lack it or be half made. */
export async function otherGenerations(store: Store): Promise<readonly string[]> {
  const current = await currentName(store);
  const names = (await listNames(store.directory)).filter((name) => name.startsWith('generation-'));
  return names.filter((name) => name !== current).map((name) => join(store.directory, name));
}

/** What failed operations left behind, and repositories out of use, last changed before `time` in milliseconds since the epoch. */
export async function findLeftovers(store: Store, time: number): Promise<readonly string[]> {
  const scratch = (await listNames(store.scratch)).map((name) => join(store.scratch, name));
  const leftovers: string[] = [];
  for (const path of [...scratch, ...(await otherGenerations(store))]) {
    // A repository's own folder changes when it is made and when it goes out of use.
    if ((await modifiedAt(path)) < time) leftovers.push(path);
  }
  return leftovers;
}

/** The newest commit of which everything is known to be in `gitdir`; it is what we tell a server that we have. */
export async function readTip(gitdir: string): Promise<string | undefined> {
  const text = (await readText(join(gitdir, TIP)))?.trim();
  return text !== undefined && FULL_OID.test(text) ? text : undefined;
}

/** Records a commit that was proven readable. */
export async function writeTip(store: Store, gitdir: string, commit: string): Promise<void> {
  await writeWhole(store.scratch, join(gitdir, TIP), Buffer.from(`${commit}\n`), true);
}

/** Where a repository keeps the tip. */
export const TIP = 'refs/heads/tip';

/** Records an accepted revision. */
export async function writeAccepted(store: Store, sequence: number, commit: string): Promise<void> {
  const path = join(acceptedFolder(store), String(sequence));
  await writeWhole(store.scratch, path, Buffer.from(`${commit}\n`), true);
}

/** The accepted revisions by ascending sequence. */
export async function readAccepted(
  store: Store,
): Promise<readonly { readonly sequence: number; readonly commit: string }[]> {
  const accepted: { readonly sequence: number; readonly commit: string }[] = [];
  for (const name of await listNames(acceptedFolder(store))) {
    const commit = (await readText(join(acceptedFolder(store), name)))?.trim() ?? '';
    if (/^\d+$/u.test(name) && FULL_OID.test(commit)) accepted.push({ sequence: Number(name), commit });
  }
  return accepted.toSorted((a, b) => a.sequence - b.sequence);
}

function acceptedFolder(store: Store): string {
  return join(store.directory, 'refs/accepted');
}

async function currentName(store: Store): Promise<string | undefined> {
  try {
    return await readlink(join(store.directory, 'current'));
  } catch (cause) {
    if (isSystemError(cause) && cause.code === 'ENOENT') return undefined;
    throw cause;
  }
}

async function modifiedAt(path: string): Promise<number> {
  try {
    return (await lstat(path)).mtimeMs;
  } catch (cause) {
    // Gone meanwhile.
    if (isSystemError(cause) && cause.code === 'ENOENT') return Number.POSITIVE_INFINITY;
    throw cause;
  }
}
