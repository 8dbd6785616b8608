import type { ObjectReader } from './git-object.ts';
import { requireObject } from './git-object.ts';
import { SourceFault } from './source-error.ts';

/** A commit, as much of it as a status or a history shows. */
export interface Revision {
  readonly commit: string;
  readonly tree: string;
  /** `at` is in milliseconds since the epoch. */
  readonly author: { readonly name: string; readonly email: string; readonly at: number };
  /** Milliseconds since the epoch. */
  readonly committedAt: number;
  /** First line of the message. */
  readonly subject: string;
  readonly parents: readonly string[];
}

/** Reads a commit. Throws OBJECT_MISSING or OBJECT_DAMAGED. */
export async function readRevision(reader: ObjectReader, commit: string): Promise<Revision> {
  return parseCommit((await requireObject(reader, commit, 'commit')).bytes, commit);
}

/** Parses the content of a commit object. Throws OBJECT_DAMAGED. */
export function parseCommit(bytes: Uint8Array, commit: string): Revision {
  const text = Buffer.from(bytes).toString('utf8');
  const [head = '', ...paragraphs] = text.split('\n\n');
  // Header lines that start with a space continue the one before, e.g. a signature.
  const headers = head.split('\n').filter((line) => !line.startsWith(' '));
  const all = (name: string): readonly string[] =>
    headers.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  const [tree] = all('tree');
  if (tree === undefined) throw new SourceFault('OBJECT_DAMAGED', `commit ${commit} names no tree`);
  const author = parsePerson(all('author')[0] ?? '');
  return {
    commit,
    tree,
    author,
    committedAt: parsePerson(all('committer')[0] ?? '').at,
    subject: paragraphs.join('\n\n').trimStart().split('\n', 1)[0]?.trim() ?? '',
    parents: all('parent'),
  };
}

/** The commit that an annotated tag points to, through tags of tags; a commit is its own. Throws COMMIT_MISSING otherwise. */
export async function peelToCommit(reader: ObjectReader, oid: string): Promise<string> {
  let name = oid;
  for (let depth = 0; depth < 10; depth += 1) {
    const found = await reader.read(name);
    if (found === undefined)
      throw new SourceFault('OBJECT_MISSING', `object ${name} is not in the object store`);
    if (found.type === 'commit') return name;
    const target = /^object ([0-9a-f]{40})$/mu.exec(Buffer.from(found.bytes).toString('utf8'))?.[1];
    if (found.type !== 'tag' || target === undefined) break;
    name = target;
  }
  throw new SourceFault('COMMIT_MISSING', `${oid} does not lead to a commit`);
}

function parsePerson(line: string): Revision['author'] {
  const match = /^(.*?) ?<(.*?)> (-?\d+) [+-]\d{4}$/u.exec(line);
  return { name: match?.[1] ?? '', email: match?.[2] ?? '', at: Number(match?.[3] ?? 0) * 1000 };
}
