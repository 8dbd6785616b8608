import { compareText } from '../lib/order.ts';
import { mapLimit } from './attempt.ts';
import type { ObjectReader } from './git-object.ts';
import { requireObject } from './git-object.ts';
import type { ManagedTree } from './managed-tree.ts';
import { PARALLEL_READS } from './managed-tree.ts';
import type { Problem } from './problem.ts';
import { throwProblems } from './problem.ts';
import type { RecentMap } from './recent-map.ts';
import type { Limits } from './source-options.ts';

/** A YAML file under the managed path. */
export interface SourceFile {
  /** Relative to the managed path, with slashes. */
  readonly path: string;
  /** Git's name of the content: equal content, equal oid. */
  readonly oid: string;
  /** Bytes in the repository. */
  readonly size: number;
  /** The text without a byte order mark; line ends are left as they are. */
  text(): Promise<string>;
}

/** Reads and checks the files of a managed tree. Throws one fault that names everything wrong with them. */
export async function readSourceFiles(
  reader: ObjectReader,
  tree: ManagedTree,
  limits: Limits,
  where: { readonly label: string; readonly commit: string },
  known: RecentMap<SourceFile>,
  signal?: AbortSignal,
): Promise<readonly SourceFile[]> {
  const inspection = inspectFiles(limits, tree.problems);
  const unknown = tree.blobs.filter(({ path, oid }) => {
    const file = known.get(`${oid} ${path}`);
    if (file !== undefined) inspection.keep(file);
    return file === undefined;
  });
  const inspectBlob = async ({ path, oid }: ManagedTree['blobs'][number]): Promise<void> => {
    if (inspection.isFull()) return;
    inspection.add({ path, oid, bytes: (await requireObject(reader, oid, 'blob')).bytes });
  };
  await mapLimit(unknown, PARALLEL_READS, inspectBlob, signal);
  const files = inspection.finish(where.label, where.commit);
  for (const file of files) known.set(`${file.oid} ${file.path}`, file);
  return files;
}

/** The bytes of one file before they are checked. */
export interface FileContent {
  readonly path: string;
  readonly oid: string;
  readonly bytes: Uint8Array;
}

/** Takes files in any order and keeps only what may be kept, so that what is too large never piles up in memory. */
export interface Inspection {
  add(content: FileContent): void;
  /** Takes a file that was checked before. */
  keep(file: SourceFile): void;
  /** Records what is wrong with a file that is not even read. */
  reject(problem: Problem): void;
  /** True when the files have more bytes together than is allowed. */
  isFull(): boolean;
  /** The files in canonical order. Throws one fault that names everything wrong. */
  finish(label: string, commit?: string): readonly SourceFile[];
}

/** Starts checking sizes and text of files; `found` are problems that are known already. */
export function inspectFiles(limits: Limits, found: readonly Problem[]): Inspection {
  const problems: Problem[] = [...found];
  const files: SourceFile[] = [];
  let total = 0;
  const isFull = (): boolean => total > limits.totalBytes;
  return {
    isFull,
    reject: (problem) => {
      problems.push(problem);
    },
    add: ({ path, oid, bytes }) => {
      total += bytes.byteLength;
      const checked = checkText(path, bytes, limits);
      if (typeof checked !== 'string') problems.push(checked);
      else if (!isFull())
        files.push({ path, oid, size: bytes.byteLength, text: () => Promise.resolve(checked) });
    },
    keep: (file) => {
      total += file.size;
      if (!isFull()) files.push(file);
    },
    finish: (label, commit) => {
      const detail = `the files have more than the ${limits.totalBytes} bytes together that are allowed`;
      if (isFull()) problems.push({ code: 'TOO_LARGE', path: '', detail });
      throwProblems(problems, label, commit);
      return files.toSorted((a, b) => compareText(a.path, b.path));
    },
  };
}

/** Says that one file has too many bytes. */
export function tooLarge(path: string, size: number, limits: Limits): Problem {
  return { code: 'TOO_LARGE', path, detail: `${size} bytes, more than the ${limits.fileBytes} allowed` };
}

function checkText(path: string, bytes: Uint8Array, limits: Limits): string | Problem {
  if (bytes.byteLength > limits.fileBytes) return tooLarge(path, bytes.byteLength, limits);
  let text;
  try {
    // A byte order mark is dropped here: editors write it, YAML 1.2 section 5.2 lets a reader ignore it.
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { code: 'NOT_UTF8', path };
  }
  if (text.includes('\0')) return { code: 'NOT_UTF8', path };
  if (text.startsWith(LFS_SIGNATURE)) return { code: 'LFS_POINTER', path };
  return text;
}

const LFS_SIGNATURE = 'version https://git-lfs.github.com/spec/v1';
