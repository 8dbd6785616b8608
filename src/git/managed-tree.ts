import { compareText } from '../lib/order.ts';
import { mapLimit } from './attempt.ts';
import type { ObjectReader } from './git-object.ts';
import { requireObject } from './git-object.ts';
import type { Problem } from './problem.ts';
import { RecentMap } from './recent-map.ts';
import type { Limits } from './source-options.ts';
import type { TreeEntry } from './tree.ts';
import { isHidden, isYaml, parseTree } from './tree.ts';

/** The YAML blobs under the managed path, and what is not allowed there. Both in canonical order. */
export interface ManagedTree {
  readonly blobs: readonly { readonly path: string; readonly oid: string }[];
  readonly problems: readonly Problem[];
}

/** Walks the managed path of a commit's root tree. Throws OBJECT_MISSING or OBJECT_DAMAGED; the rest are problems. */
export async function readManagedTree(
  reader: ObjectReader,
  root: string,
  path: string,
  limits: Limits,
  known: RecentMap<readonly TreeEntry[]> = new RecentMap(),
  signal?: AbortSignal,
): Promise<ManagedTree> {
  const start = await descend(reader, root, path, known);
  if (typeof start !== 'string') return { blobs: [], problems: [start] };
  const walk: Walk = { blobs: [], problems: [], seen: 0 };
  let level: readonly Folder[] = [{ path: '', oid: start }];
  while (level.length > 0) {
    const unknown = level.filter(({ oid }) => known.get(oid) === undefined);
    await mapLimit(unknown, PARALLEL_READS, ({ oid }) => readKnown(reader, oid, known), signal);
    level = level.flatMap((folder) => visit(walk, folder, known.get(folder.oid) ?? []));
    // Trees can share subtrees, so a small pack can describe endlessly many paths.
    if (walk.blobs.length > limits.files || walk.seen > limits.files * ENTRIES_PER_FILE) {
      walk.problems.push({
        code: 'TOO_LARGE',
        path: '',
        detail: `there are more than ${limits.files} files`,
      });
      break;
    }
  }
  return {
    blobs: walk.blobs.toSorted((a, b) => compareText(a.path, b.path)),
    problems: walk.problems.toSorted((a, b) => compareText(a.path, b.path)),
  };
}

/**
 * Reads every tree and every YAML blob under the managed path that is not in `proven` yet, and adds them there once all of them
 * were read. A path that is not a folder has nothing to read. Throws OBJECT_MISSING or OBJECT_DAMAGED.
 */
export async function proveManaged(
  reader: ObjectReader,
  root: string,
  path: string,
  proven: Set<string>,
  signal?: AbortSignal,
): Promise<void> {
  const start = await descend(reader, root, path);
  const read = new Set<string>();
  const prove = async ({ oid, isFolder }: Unproven): Promise<readonly Unproven[]> => {
    if (proven.has(oid) || read.has(oid)) return [];
    read.add(oid);
    if (isFolder) return (await readTree(reader, oid)).flatMap(toProve);
    await requireObject(reader, oid, 'blob');
    return [];
  };
  let level: readonly Unproven[] = typeof start === 'string' ? [{ oid: start, isFolder: true }] : [];
  while (level.length > 0) level = (await mapLimit(level, PARALLEL_READS, prove, signal)).flat();
  for (const oid of read) proven.add(oid);
}

/** How many objects are read at once. */
export const PARALLEL_READS = 8;

// Files that are no specs (charts, pictures) may live beside them, within reason.
const ENTRIES_PER_FILE = 10;

interface Folder {
  readonly path: string;
  readonly oid: string;
}

interface Unproven {
  readonly oid: string;
  readonly isFolder: boolean;
}

function toProve({ mode, name, oid }: TreeEntry): readonly Unproven[] {
  if (isHidden(name)) return [];
  if (mode === FOLDER) return [{ oid, isFolder: true }];
  return isYaml(name) && mode !== SYMLINK && mode !== GITLINK ? [{ oid, isFolder: false }] : [];
}

interface Walk {
  readonly blobs: { readonly path: string; readonly oid: string }[];
  readonly problems: Problem[];
  seen: number;
}

async function readTree(reader: ObjectReader, oid: string): Promise<readonly TreeEntry[]> {
  return parseTree((await requireObject(reader, oid, 'tree')).bytes, oid);
}

/** Reads a tree that may be known, and knows it from then on. */
async function readKnown(
  reader: ObjectReader,
  oid: string,
  known: RecentMap<readonly TreeEntry[]>,
): Promise<readonly TreeEntry[]> {
  const entries = known.get(oid) ?? (await readTree(reader, oid));
  known.set(oid, entries);
  return entries;
}

async function descend(
  reader: ObjectReader,
  root: string,
  path: string,
  known: RecentMap<readonly TreeEntry[]> = new RecentMap(),
): Promise<string | Problem> {
  let oid = root;
  const walked: string[] = [];
  // The root is read even for the path '', so that it is proven, too.
  for (const part of path === '' ? [] : path.split('/')) {
    walked.push(part);
    const entry = (await readKnown(reader, oid, known)).find(({ name }) => name === part);
    const at = walked.join('/');
    if (entry === undefined)
      return { code: 'PATH_MISSING', path: '', detail: `the managed path "${path}" does not exist` };
    if (entry.mode === SYMLINK) return { code: 'SYMLINK', path: '', detail: `"${at}" is a symbolic link` };
    if (entry.mode === GITLINK) return { code: 'SUBMODULE', path: '', detail: `"${at}" is a submodule` };
    if (entry.mode !== FOLDER)
      return { code: 'PATH_NOT_DIRECTORY', path: '', detail: `"${at}" is a file, not a folder` };
    oid = entry.oid;
  }
  return oid;
}

/** Sorts the entries of one folder into the walk and returns its subfolders. */
function visit(walk: Walk, folder: Folder, entries: readonly TreeEntry[]): readonly Folder[] {
  const subfolders: Folder[] = [];
  for (const entry of entries) {
    walk.seen += 1;
    if (isHidden(entry.name)) continue;
    const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
    if (!entry.isNameValid) walk.problems.push({ code: 'BAD_PATH', path });
    else if (entry.mode === FOLDER) subfolders.push({ path, oid: entry.oid });
    else if (entry.mode === SYMLINK) walk.problems.push({ code: 'SYMLINK', path });
    else if (entry.mode === GITLINK) walk.problems.push({ code: 'SUBMODULE', path });
    else if (!isYaml(entry.name)) continue;
    // An executable bit does no harm: nothing is ever executed or written out.
    else if (entry.mode === '100644' || entry.mode === '100755') walk.blobs.push({ path, oid: entry.oid });
    else walk.problems.push({ code: 'BAD_MODE', path, detail: `mode ${entry.mode}` });
  }
  return subfolders;
}

const FOLDER = '40000';
const SYMLINK = '120000';
const GITLINK = '160000';
