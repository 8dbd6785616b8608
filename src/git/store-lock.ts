import { randomUUID } from 'node:crypto';
import { open, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { checkAborted, isSystemError } from './attempt.ts';
import { readText } from './local-repository.ts';
import { SourceFault } from './source-error.ts';
import type { Store } from './store.ts';

/**
 * Runs `run` while no other program fetches into the store. A lock whose owner is gone is taken over: at once when the owner ran
 * on this machine and its process does not exist, else when the file was not touched for a minute (owners touch it every ten
 * seconds), or for a second when its owner died before it had written who it is. Should two ever hold it, nothing is lost: objects are named by content and files appear whole.
 */
export async function withFetchLock<T>(
  store: Store,
  waitMs: number,
  run: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const path = join(store.directory, 'fetch.lock');
  const owner = JSON.stringify({ pid: process.pid, host: hostname(), token: randomUUID() });
  const deadline = performance.now() + waitMs;
  while (!(await create(path, owner))) {
    checkAborted(signal);
    await removeStale(store, path);
    if (performance.now() > deadline) {
      throw new SourceFault('STORE_BUSY', `${store.directory} is being fetched into by another program`);
    }
    await delay(RETRY_MS);
  }
  const touch = setInterval(() => void touchFile(path), TOUCH_MS);
  try {
    return await run();
  } finally {
    clearInterval(touch);
    if ((await readText(path)) === owner) await rm(path, { force: true });
  }
}

const RETRY_MS = 50;
const TOUCH_MS = 10_000;
const STALE_MS = 60_000;
const NAMELESS_MS = 1_000;

async function create(path: string, owner: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    try {
      await file.writeFile(owner);
    } finally {
      await file.close();
    }
    return true;
  } catch (cause) {
    if (isSystemError(cause) && cause.code === 'EEXIST') return false;
    throw cause;
  }
}

async function removeStale(store: Store, path: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(path);
    const text = (await readText(path)) ?? '';
    // The age is told by the same clock that wrote it, that of the file system.
    const isOld = (await fileSystemNow(store)) - mtimeMs > (text === '' ? NAMELESS_MS : STALE_MS);
    if (!isOld && !isOwnerGone(text)) return;
    const aside = join(store.scratch, randomUUID());
    await rename(path, aside);
    await rm(aside, { force: true });
  } catch (cause) {
    // Released or taken over meanwhile.
    if (!isSystemError(cause) || cause.code !== 'ENOENT') throw cause;
  }
}

function isOwnerGone(text: string): boolean {
  const match = /^\{"pid":(\d+),"host":("(?:[^"\\]|\\.)*"),/u.exec(text);
  if (match === null || JSON.parse(match[2] ?? '') !== hostname()) return false;
  try {
    process.kill(Number(match[1]), 0);
    return false;
  } catch (cause) {
    return isSystemError(cause) && cause.code === 'ESRCH';
  }
}

async function fileSystemNow(store: Store): Promise<number> {
  const probe = join(store.scratch, randomUUID());
  const file = await open(probe, 'wx');
  try {
    return (await file.stat()).mtimeMs;
  } finally {
    await file.close();
    await rm(probe, { force: true });
  }
}

async function touchFile(path: string): Promise<void> {
  try {
    const now = new Date();
    await utimes(path, now, now);
  } catch {
    // The lock was taken over: its new owner touches it.
  }
}
