import { fingerprint64 } from '../lib/hash.ts';
import type { NbRow, RowKey } from '../model/nb.ts';
import { rowHash } from './marks.ts';

/** Two 32-bit halves. */
type Sum = readonly [high: number, low: number];

const sums = new WeakMap<readonly NbRow[], Sum>();

/**
 * Fingerprint of all rows of a unit, whatever their order: the sum of their fingerprints, so that the fingerprint of the
 * next revision follows from what has changed (deriveUnitHash). Computed once for each list.
 */
export function unitHash(rows: readonly NbRow[]): string {
  let sum = sums.get(rows);
  if (sum === undefined) {
    sum = rows.reduce((total, row) => add(total, row.key, rowHash(row), 1), NOTHING);
    sums.set(rows, sum);
  }
  return print(sum);
}

/** The same from keys and fingerprints as they stand in the marks of live rows. */
export function unitHashOfMarks(marks: Iterable<readonly [key: RowKey, hash: string]>): string {
  let sum = NOTHING;
  for (const [key, hash] of marks) sum = add(sum, key, hash, 1);
  return print(sum);
}

/** Works out the fingerprint of `rows` from that of the list they came from, if it was ever asked for. */
export function deriveUnitHash(
  rows: readonly NbRow[],
  before: readonly NbRow[],
  gone: readonly NbRow[],
  come: readonly NbRow[],
): void {
  let sum = sums.get(before);
  if (sum === undefined || sums.has(rows)) return;
  for (const row of gone) sum = add(sum, row.key, rowHash(row), -1);
  for (const row of come) sum = add(sum, row.key, rowHash(row), 1);
  sums.set(rows, sum);
}

/** Not zero, which stands for a unit that is not settled (src/model/fence.ts). */
const NOTHING: Sum = [0x811c9dc5, 0x01000193];

function add([high, low]: Sum, key: RowKey, hash: string, sign: 1 | -1): Sum {
  const term = fingerprint64(`${key} ${hash}`);
  return [
    (high + sign * Number.parseInt(term.slice(0, 8), 16)) >>> 0,
    (low + sign * Number.parseInt(term.slice(8), 16)) >>> 0,
  ];
}

function print(sum: Sum): string {
  return sum.map((half) => half.toString(16).padStart(8, '0')).join('');
}
