import type { UnitName } from './nb.ts';
import type { RevisionRecord } from './status.ts';

/**
 * When a revision was written: the moment its last unit got its first transaction, ms since 1970; undefined while
 * nothing is written. What a later life of the program writes for it again (a rebuilt Northbound, an upgrade) does not count.
 */
export function writtenAt(revision: Pick<RevisionRecord, 'receipts'>): number | undefined {
  const first = new Map<UnitName, number>();
  for (const { unit, cause, at } of revision.receipts) {
    if (cause === 'revision') first.set(unit, Math.min(at, first.get(unit) ?? at));
  }
  return first.size === 0 ? undefined : Math.max(...first.values());
}
