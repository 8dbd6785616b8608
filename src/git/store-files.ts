import { createHash, randomUUID } from 'node:crypto';
import { promises } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { PromiseFsClient } from 'isomorphic-git';
import { indexPack } from 'isomorphic-git';
import type { GitObject } from './git-object.ts';

/**
 * A file system for isomorphic-git that makes every file appear whole or not at all, so that others may read a repository while
 * it is written. `checkPack` sees every pack before it is written and throws to keep it out.
 */
export function wholeFiles(scratch: string, checkPack: (pack: Uint8Array) => Promise<void>): PromiseFsClient {
  const writeFile = async (path: string, content: string | Uint8Array): Promise<void> => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    if (path.endsWith('.pack')) await checkPack(bytes);
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
 * Adds objects to a repository: a few as loose files, many as one pack. Loose ones are not forced to disk one by one: what a power
 * cut damages is found by its hash and copied again.
 */
export async function writeObjects(
  scratch: string,
  gitdir: string,
  objects: readonly GitObject[],
): Promise<void> {
  if (objects.length > MOST_LOOSE) {
    await writePack(scratch, gitdir, objects);
    return;
  }
  for (const { oid, type, bytes } of objects) {
    const whole = Buffer.concat([Buffer.from(`${type} ${bytes.byteLength}\0`), bytes]);
    const path = join(gitdir, 'objects', oid.slice(0, 2), oid.slice(2));
    await writeWhole(scratch, path, await deflated(whole), false);
  }
}

const MOST_LOOSE = 200;

const deflated = promisify<Uint8Array, Buffer>(deflate);

/** Writes a pack without deltas (gitformat-pack(5)) and its index. */
async function writePack(scratch: string, gitdir: string, objects: readonly GitObject[]): Promise<void> {
  const header = Buffer.alloc(12);
  header.write('PACK', 'latin1');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(objects.length, 8);
  const parts: Uint8Array[] = [header];
  for (const { type, bytes } of objects) {
    parts.push(entryHeader(PACK_TYPES[type], bytes.byteLength), await deflated(bytes));
  }
  const body = Buffer.concat(parts);
  const digest = createHash('sha1').update(body).digest();
  const filepath = `objects/pack/pack-${digest.toString('hex')}.pack`;
  await writeWhole(scratch, join(gitdir, filepath), Buffer.concat([body, digest]), true);
  const fs = wholeFiles(scratch, () => Promise.resolve());
  await indexPack({ fs, dir: gitdir, gitdir, filepath });
}

const PACK_TYPES: Readonly<Record<GitObject['type'], number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };

/** Type and size: four bits of the size in the first byte, then seven in each, least significant first. */
function entryHeader(type: number, size: number): Uint8Array {
  const bytes: number[] = [];
  let byte = (type << 4) | (size & 15);
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 0x80);
    byte = rest & 0x7f;
  }
  return Uint8Array.of(...bytes, byte);
}
