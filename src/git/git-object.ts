import { createHash } from 'node:crypto';
import type { PromiseFsClient } from 'isomorphic-git';
import { readObject } from 'isomorphic-git';
import { snapshotFiles } from './snapshot-files.ts';
import { SourceFault } from './source-error.ts';

/** An object of a repository whose content was checked against its name. */
export interface GitObject {
  readonly oid: string;
  readonly type: 'commit' | 'tree' | 'blob' | 'tag';
  readonly bytes: Uint8Array;
}

/** Reads objects by name. An object that is not there is undefined; one that is there but wrong throws OBJECT_DAMAGED. */
export interface ObjectReader {
  read(oid: string): Promise<GitObject | undefined>;
}

/**
 * Reads from bare repositories, the first that has the object. A reader keeps packs in memory: make one per operation
 * and drop it with the operation.
 */
export function openReader(gitdirs: readonly string[]): ObjectReader {
  const stores = gitdirs.map((gitdir) => ({ gitdir, cache: {}, fs: snapshotFiles() }));
  return {
    read: async (oid) => {
      let damage: SourceFault | undefined;
      for (const store of stores) {
        try {
          const found = await readFrom(store, oid);
          if (found !== undefined) return found;
        } catch (cause) {
          damage = cause instanceof SourceFault ? cause : damaged(oid, store.gitdir, cause);
        }
      }
      if (damage !== undefined) throw damage;
      return undefined;
    },
  };
}

/** Reads an object that must be there and of that type. Throws OBJECT_MISSING or OBJECT_DAMAGED. */
export async function requireObject(
  reader: ObjectReader,
  oid: string,
  type: GitObject['type'],
): Promise<GitObject> {
  const found = await reader.read(oid);
  if (found === undefined)
    throw new SourceFault('OBJECT_MISSING', `${type} ${oid} is not in the object store`);
  if (found.type !== type) {
    throw new SourceFault('OBJECT_DAMAGED', `object ${oid} is a ${found.type}, not a ${type}`);
  }
  return found;
}

/** The name that Git gives to an object. */
export function objectName(type: GitObject['type'], bytes: Uint8Array): string {
  return createHash('sha1').update(`${type} ${bytes.byteLength}\0`).update(bytes).digest('hex');
}

/** True for the error by which isomorphic-git says that something does not exist. */
export function isNotFound(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'NotFoundError';
}

interface OpenRepository {
  readonly gitdir: string;
  readonly cache: object;
  readonly fs: PromiseFsClient;
}

async function readFrom({ gitdir, cache, fs }: OpenRepository, oid: string): Promise<GitObject | undefined> {
  let answer;
  try {
    answer = await readObject({ fs, gitdir, oid, format: 'content', cache });
  } catch (cause) {
    if (isNotFound(cause)) return undefined;
    throw cause;
  }
  const bytes = answer.object as Uint8Array;
  const type = answer.type as GitObject['type'];
  // Packs carry no name beside an object, so a wrong index would pass unnoticed.
  if (objectName(type, bytes) !== oid) throw damaged(oid, gitdir, 'its content does not match its name');
  return { oid, type, bytes };
}

function damaged(oid: string, gitdir: string, cause: unknown): SourceFault {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SourceFault('OBJECT_DAMAGED', `object ${oid} in ${gitdir} can't be read: ${reason}`);
}
