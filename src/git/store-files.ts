import { randomUUID } from 'node:crypto';
import { promises } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { PromiseFsClient } from 'isomorphic-git';
import type { GitObject } from './git-object.ts';
import type { PackBounds } from './pack-scan.ts';
import { scanPack } from './pack-scan.ts';

/**
 * A file system for isomorphic-git that makes every file appear whole or not at all, so that others may read a repository while
 * it is written, and that refuses packs that are damaged or unfold to too much, so that they never enter the store.
 */
export function wholeFiles(scratch: string, bounds: PackBounds): PromiseFsClient {
  const writeFile = async (path: string, content: string | Uint8Array): Promise<void> => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    if (path.endsWith('.pack')) await scanPack(bytes, bounds);
    await writeWhole(scratch, path, bytes, true);
  };
  return { promises: { ...promises, writeFile } };
}

/** Writes a file by way of a temporary one on the same disk. Makes missing folders. */
export async function writeWhole(
  scratch: string,
  path: string,
  bytes: Uint8Array,
  isDurable: boolean,
): Promise<void> {
  const temporary = join(scratch, randomUUID());
  try {
    const file = await open(temporary, 'wx');
    try {
      await file.writeFile(bytes);
      if (isDurable) await file.sync();
    } finally {
      await file.close();
    }
    await mkdir(dirname(path), { recursive: true });
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw cause;
  }
}

/**
 * Adds objects to a repository, loose. They are not forced to disk one by one: what a power cut damages is found by its hash
 * and copied again.
 */
export async function writeObjects(
  scratch: string,
  gitdir: string,
  objects: readonly GitObject[],
): Promise<void> {
  for (const { oid, type, bytes } of objects) {
    const whole = Buffer.concat([Buffer.from(`${type} ${bytes.byteLength}\0`), bytes]);
    const path = join(gitdir, 'objects', oid.slice(0, 2), oid.slice(2));
    await writeWhole(scratch, path, await deflated(whole), false);
  }
}

const deflated = promisify<Uint8Array, Buffer>(deflate);
