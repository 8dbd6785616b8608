/** An inclusive range of numbers. */
export interface Interval {
  readonly first: bigint;
  readonly last: bigint;
}

/** Disjoint, non-adjacent intervals in ascending order: the one form that a set of numbers has. */
export type IntervalSet = readonly Interval[];

/** The set of all numbers in any of the intervals. */
export function mergeIntervals(intervals: Iterable<Interval>): IntervalSet {
  const ordered = [...intervals].toSorted((a, b) => compareBigint(a.first, b.first));
  const merged: Interval[] = [];
  for (const { first, last } of ordered) {
    const previous = merged.at(-1);
    if (previous === undefined || first > previous.last + 1n) merged.push({ first, last });
    else if (last > previous.last) merged[merged.length - 1] = { first: previous.first, last };
  }
  return merged;
}

/** What is in `from` and not in `removed`. */
export function subtractIntervals(from: IntervalSet, removed: IntervalSet): IntervalSet {
  const kept: Interval[] = [];
  let next = 0;
  for (const interval of from) {
    let first = interval.first;
    while ((removed[next]?.last ?? interval.last) < first) next += 1;
    let probe = next;
    for (let cut = removed[probe]; cut !== undefined && cut.first <= interval.last; cut = removed[++probe]) {
      if (cut.first > first) kept.push({ first, last: cut.first - 1n });
      first = cut.last + 1n;
      if (first > interval.last) break;
    }
    if (first <= interval.last) kept.push({ first, last: interval.last });
    next = probe;
  }
  return kept;
}

/** What is in both sets. */
export function intersectIntervals(a: IntervalSet, b: IntervalSet): IntervalSet {
  const common: Interval[] = [];
  let [i, j] = [0, 0];
  for (let [x, y] = [a[i], b[j]]; x !== undefined && y !== undefined; [x, y] = [a[i], b[j]]) {
    const first = x.first > y.first ? x.first : y.first;
    const last = x.last < y.last ? x.last : y.last;
    if (first <= last) common.push({ first, last });
    if (x.last < y.last) i += 1;
    else j += 1;
  }
  return common;
}

/** How many numbers the set has. Exact: a /64 has more than a double can count. */
export function countIntervals(set: IntervalSet): bigint {
  let count = 0n;
  for (const { first, last } of set) count += last - first + 1n;
  return count;
}

/** True when the number is in the set. Logarithmic. */
export function intervalsContain(set: IntervalSet, value: bigint): boolean {
  let [low, high] = [0, set.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const interval = set[middle];
    if (interval === undefined || value < interval.first) high = middle - 1;
    else if (value > interval.last) low = middle + 1;
    else return true;
  }
  return false;
}

function compareBigint(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
