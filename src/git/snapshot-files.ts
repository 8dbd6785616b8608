import { promises } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { PromiseFsClient } from 'isomorphic-git';

/**
 * A file system for isomorphic-git that looks at every folder once. For each object it would otherwise look for a loose file and
 * list the packs anew, which takes longer than reading the object. Use it for one operation: what is added later is not seen.
 */
export function snapshotFiles(): PromiseFsClient {
  const listings = new Map<string, Promise<ReadonlySet<string>>>();
  const list = (folder: string): Promise<ReadonlySet<string>> => {
    const known = listings.get(folder);
    if (known !== undefined) return known;
    const listing = listNow(folder);
    listings.set(folder, listing);
    return listing;
  };
  const stats = new Map<string, ReturnType<typeof promises.stat>>();
  const stat = (path: string): ReturnType<typeof promises.stat> => {
    const known = stats.get(path);
    if (known !== undefined) return known;
    const fresh = promises.stat(path);
    stats.set(path, fresh);
    return fresh;
  };
  const readFile = async (path?: string, options?: object): Promise<string | Uint8Array> => {
    // isomorphic-git finds out for every object whether we return promises, and Node's own error takes long to make.
    if (path === undefined) throw NO_PATH;
    if (LOOSE_OBJECT.test(path) && !(await list(dirname(path))).has(basename(path))) throw absent(path);
    return promises.readFile(path, options);
  };
  return {
    promises: { ...promises, stat, readFile, readdir: async (path: string) => [...(await list(path))] },
  };
}

const NO_PATH = new Error('no path');
const LOOSE_OBJECT = /\/objects\/[0-9a-f]{2}\/[0-9a-f]{38}$/u;

async function listNow(folder: string): Promise<ReadonlySet<string>> {
  try {
    return new Set(await promises.readdir(folder));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return new Set();
    throw cause;
  }
}

function absent(path: string): Error {
  return Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT', syscall: 'open' });
}
