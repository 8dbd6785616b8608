import { fingerprint64 } from '../lib/hash.ts';
import { sortedRecord } from '../lib/order.ts';
import type { LiveRow } from '../model/live.ts';
import { MARK, MARK_PREFIX } from '../model/marks.ts';
import type { NbRow } from '../model/nb.ts';

/** The external_ids that identity and drift detection stand on, with those that the compiler asks for: compared and repaired like any other column. */
export function identityMarks(owner: string, row: NbRow): Readonly<Record<string, string>> {
  const own = row.columns['external_ids'] as Readonly<Record<string, string>> | undefined;
  return {
    ...own,
    [MARK.owner]: owner,
    [MARK.key]: row.key,
    [MARK.unit]: row.unit,
    [MARK.hash]: rowHash(row),
  };
}

/**
 * True when external_ids hold these marks as they should be and, blame aside, nothing else: what nearly every row is
 * like. Tells without making anything; false only means that a closer look is needed.
 */
export function isMarkedExactly(owner: string, row: NbRow, ids: ReadonlyMap<unknown, unknown>): boolean {
  const own = row.columns['external_ids'] as Readonly<Record<string, string>> | undefined;
  let expected = 4;
  for (const name in own) {
    if (ids.get(name) !== own[name]) return false;
    expected += 1;
  }
  if (ids.has(MARK.source)) expected += 1;
  if (ids.has(MARK.commit)) expected += 1;
  return (
    ids.size === expected &&
    ids.get(MARK.key) === row.key &&
    ids.get(MARK.hash) === rowHash(row) &&
    ids.get(MARK.unit) === row.unit &&
    ids.get(MARK.owner) === owner
  );
}

/**
 * All marks of a row that is written as of a commit. Those that say where it came from are written only together with
 * another change of the row: a moved file or an inserted line must not rewrite the database.
 */
export function rowMarks(owner: string, row: NbRow, commit: string): Readonly<Record<string, string>> {
  const own = row.columns['external_ids'] as Readonly<Record<string, string>> | undefined;
  // In canonical order, so that nobody has to sort them.
  const marks = {
    [MARK.commit]: commit,
    [MARK.hash]: rowHash(row),
    [MARK.key]: row.key,
    [MARK.owner]: owner,
    [MARK.source]: `${row.source.file}:${row.source.line}`,
    [MARK.unit]: row.unit,
  };
  return own === undefined ? marks : { ...own, ...marks };
}

/** What has to be done so that a live row has exactly these marks: names to take out, and pairs to put in. */
export function markMutation(
  live: LiveRow,
  marks: Readonly<Record<string, string>>,
): { readonly stale: readonly string[]; readonly fresh: Readonly<Record<string, string>> } {
  const ids = live.columns['external_ids'];
  const held = ids instanceof Map ? (ids as ReadonlyMap<string, string>) : new Map<string, string>();
  const stale = [...held]
    .filter(([name, value]) => (name.startsWith(MARK_PREFIX) || name in marks) && marks[name] !== value)
    .map(([name]) => name);
  const fresh = Object.entries(marks).filter(([name, value]) => held.get(name) !== value);
  return { stale, fresh: Object.fromEntries(fresh) };
}

/** How fingerprints are computed; grows when that changes, so that an upgrade does not rewrite every row. */
const HASH_FORM = '1';

/** True for a fingerprint that another version of this program computed: it says nothing about the row. */
export function isOfOtherForm(hash: string): boolean {
  return /^[0-9]+-[0-9a-f]{16}$/.test(hash) && !hash.startsWith(`${HASH_FORM}-`);
}

/** In place of the fingerprint of a row that could not be written as a whole yet: what differs is no drift. */
export const INCOMPLETE_HASH: string = `${HASH_FORM}-0000000000000000`;

const hashes = new WeakMap<NbRow, string>();

/** Fingerprint of what a row should contain. Equal to the mark in NB means: any difference there is drift, not a new wish. */
export function rowHash(row: NbRow): string {
  const known = hashes.get(row);
  if (known !== undefined) return known;
  const hash = `${HASH_FORM}-${fingerprint64(JSON.stringify([row.unit, inOrder(row.columns), row.parent ?? null]))}`;
  hashes.set(row, hash);
  return hash;
}

/** Compiled columns are in canonical order already. */
function inOrder<T>(columns: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  let last = '';
  for (const column in columns) {
    if (column < last) return sortedRecord(columns);
    last = column;
  }
  return columns;
}
