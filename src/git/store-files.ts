import { createHash, randomUUID } from 'node:crypto';
import { promises } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { PromiseFsClient } from 'isomorphic-git';
import type { GitObject } from './git-object.ts';
import { SourceFault } from './source-error.ts';

/**
 * A file system for isomorphic-git that makes every file appear whole or not at all, so that others may read a repository while
 * it is written, and that refuses a pack whose trailing SHA-1 is wrong, so that a cut pack never enters the store.
 */
export function wholeFiles(scratch: string): PromiseFsClient {
  const writeFile = async (path: string, content: string | Uint8Array): Promise<void> => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    if (path.endsWith('.pack')) checkPackTrailer(bytes);
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

function checkPackTrailer(bytes: Uint8Array): void {
  const end = bytes.byteLength - 20;
  const trailer = Buffer.from(bytes.subarray(Math.max(end, 0))).toString('hex');
  const digest = createHash('sha1')
    .update(bytes.subarray(0, Math.max(end, 0)))
    .digest('hex');
  if (trailer !== digest) throw new SourceFault('PACK_INCOMPLETE', 'the pack does not match its checksum');
}
