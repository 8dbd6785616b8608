import { checkAborted } from './attempt.ts';
import type { ObjectReader } from './git-object.ts';
import { parseCommit, readRevision } from './revision.ts';
import type { Revision } from './revision.ts';

/**
 * How two commits relate. `rewound`: `newer` does not contain `older`, so history was rewritten or reset. `unknown`: what is
 * in the store does not tell, because history was cut (shallow) before the two could meet.
 */
export type Relation = 'same' | 'descendant' | 'rewound' | 'unknown';

/** Compares two commits by what `reader` has of their history. */
export async function relate(reader: ObjectReader, older: string, newer: string): Promise<Relation> {
  if (older === newer) return 'same';
  if ((await reader.read(newer)) === undefined || (await reader.read(older)) === undefined) return 'unknown';
  const above = await walkHistory(reader, newer, { stopAt: older });
  if (above.met) return 'descendant';
  if (above.borders.length === 0) return 'rewound';
  // `older` could hide behind a border only if the border descended from it. A border that is an ancestor of `older` can't,
  // so when all of them are, `older` is nowhere above `newer`.
  const below = await walkHistory(reader, older, {});
  return above.borders.every((commit) => below.commits.has(commit)) ? 'rewound' : 'unknown';
}

/** Up to `limit` commits from `commit` on backwards, newest first by commit time, as far as `reader` has them. */
export async function listHistory(
  reader: ObjectReader,
  commit: string,
  limit: number,
): Promise<readonly Revision[]> {
  const { commits } = await walkHistory(reader, commit, { most: limit });
  return [...commits.values()];
}

/** What was met on the way back through history. */
interface History {
  /** In the order visited. */
  readonly commits: ReadonlyMap<string, Revision>;
  /** Commits with a parent that is not in the store. */
  readonly borders: readonly string[];
  readonly met: boolean;
}

/** Goes back through history, newest commit first, until it ends, `stopAt` is met or `most` commits were visited. */
export async function walkHistory(
  reader: ObjectReader,
  start: string,
  bounds: { readonly stopAt?: string; readonly most?: number },
  signal?: AbortSignal,
): Promise<History> {
  const commits = new Map<string, Revision>();
  const borders = new Set<string>();
  const seen = new Set<string>([start]);
  const frontier: Revision[] = [await readRevision(reader, start)];
  for (let next = takeNewest(frontier); next !== undefined; next = takeNewest(frontier)) {
    checkAborted(signal);
    if (commits.size >= (bounds.most ?? Number.POSITIVE_INFINITY)) break;
    commits.set(next.commit, next);
    if (next.commit === bounds.stopAt) return { commits, borders: [...borders], met: true };
    for (const parent of next.parents) {
      if (seen.has(parent)) continue;
      const found = await reader.read(parent);
      if (found === undefined) borders.add(next.commit);
      else {
        seen.add(parent);
        frontier.push(parseCommit(found.bytes, parent));
      }
    }
  }
  return { commits, borders: [...borders], met: false };
}

function takeNewest(frontier: Revision[]): Revision | undefined {
  let newest = 0;
  for (const [index, { committedAt }] of frontier.entries()) {
    if (committedAt > (frontier[newest]?.committedAt ?? 0)) newest = index;
  }
  return frontier.splice(newest, 1)[0];
}
