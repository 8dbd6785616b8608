import { fc, test as check } from '@fast-check/vitest';
import { expect } from 'vitest';
import {
  countIntervals,
  intersectIntervals,
  intervalsContain,
  mergeIntervals,
  subtractIntervals,
  type Interval,
  type IntervalSet,
} from '../../src/lib/interval.ts';

const intervals = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 8 }))
    .map(([first, length]): Interval => ({ first: BigInt(first), last: BigInt(first + length) })),
  { maxLength: 8 },
);

function numbers(set: IntervalSet): Set<bigint> {
  return new Set(
    set.flatMap(({ first, last }) =>
      Array.from({ length: Number(last - first) + 1 }, (_, i) => first + BigInt(i)),
    ),
  );
}
function ascending(set: Iterable<bigint>): readonly bigint[] {
  return [...set].toSorted((a, b) => Number(a - b));
}

check.prop([intervals, intervals])('interval sets are sets of numbers', (left, right) => {
  const [a, b] = [mergeIntervals(left), mergeIntervals(right)];
  const [x, y] = [numbers(left), numbers(right)];
  expect(ascending(numbers(a))).toEqual(ascending(x));
  expect(countIntervals(a)).toBe(BigInt(x.size));
  expect(ascending(numbers(subtractIntervals(a, b)))).toEqual(ascending([...x].filter((n) => !y.has(n))));
  expect(ascending(numbers(intersectIntervals(a, b)))).toEqual(ascending([...x].filter((n) => y.has(n))));
  for (let n = 0n; n < 50n; n += 1n) expect(intervalsContain(a, n)).toBe(x.has(n));
  expect(mergeIntervals(a)).toEqual(a);
  expect(mergeIntervals(left.toReversed())).toEqual(a);
  for (const set of [a, subtractIntervals(a, b), intersectIntervals(a, b)]) {
    for (const [index, { first }] of set.slice(1).entries())
      expect(first).toBeGreaterThan(set[index]!.last + (set === a ? 1n : 0n));
  }
});
