import type { ObjectReader } from './git-object.ts';
import { readManagedTree } from './managed-tree.ts';
import { RecentMap } from './recent-map.ts';
import type { SourceFile } from './source-file.ts';
import { readSourceFiles } from './source-file.ts';
import type { Limits } from './source-options.ts';
import type { TreeEntry } from './tree.ts';

/** What earlier listings have read; objects never change, so it need not be read again. */
export interface Known {
  /** By oid. */
  readonly trees: RecentMap<readonly TreeEntry[]>;
  /** By oid and path. */
  readonly files: RecentMap<SourceFile>;
}

/** Nothing is known yet. */
export function nothingKnown(): Known {
  return { trees: new RecentMap(), files: new RecentMap() };
}

/** Lists and checks the files under the managed path of a root tree: trees and blobs that are not `known` are read. */
export async function listFiles(
  reader: ObjectReader,
  from: { readonly tree: string; readonly path: string; readonly label: string; readonly commit: string },
  limits: Limits,
  known: Known,
  signal?: AbortSignal,
): Promise<readonly SourceFile[]> {
  const managed = await readManagedTree(reader, from.tree, from.path, limits, known.trees, signal);
  const files = await readSourceFiles(reader, managed, limits, from, known.files, signal);
  known.trees.turn();
  known.files.turn();
  return files;
}
