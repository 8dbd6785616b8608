import { fc, test as check } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { VersionedMap } from '../../src/lib/versioned-map.ts';

const change = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'd'),
  fc.option(fc.nat({ max: 3 }), { nil: undefined }),
);

check.prop([fc.array(fc.record({ from: fc.nat(), change }), { maxLength: 12 })])(
  'every version stays what it was, whichever version the next one is made from',
  (steps) => {
    const versions = [{ map: new VersionedMap<string, number>(), truth: new Map<string, number>() }];
    for (const { from, change } of steps) {
      const { map, truth } = versions[from % versions.length]!;
      const next = new Map(truth);
      for (const [key, value] of Object.entries(change)) {
        if (value === undefined) next.delete(key);
        else next.set(key, value);
      }
      versions.push({ map: map.with(new Map(Object.entries(change))), truth: next });
    }
    for (const { map, truth } of versions) {
      expect(new Map(map)).toEqual(truth);
      for (const key of ['a', 'b', 'c', 'd']) expect(map.get(key)).toBe(truth.get(key));
    }
  },
);

test('the keys that changed on the way between two versions are known in both directions', () => {
  const one = new VersionedMap([
    ['a', 1],
    ['b', 2],
  ]);
  const two = one.with(new Map([['a', 3]]));
  const three = two.with(new Map([['c', 4]]));
  expect(three.changedSince(one)).toEqual(new Set(['a', 'c']));
  expect(one.changedSince(three)).toEqual(new Set(['a', 'c']));
  expect(two.changedSince(two)).toEqual(new Set());
  expect(three.changedSince(new VersionedMap())).toBeUndefined();
});
