import { expect } from 'vitest';
import { fc, test } from '@fast-check/vitest';
import { parseSchema } from '../../src/ovsdb/protocol/schema.ts';
import { applyDifference } from '../../src/ovsdb/replica/difference.ts';

const column = (() => {
  const type = { key: 'string', min: 0, max: 'unlimited' };
  const schema = parseSchema({ name: 'D', version: '1.0.0', tables: { T: { columns: { c: { type } } } } });
  const found = schema.ok ? schema.value.tables.get('T')?.columns.get('c') : undefined;
  if (found === undefined) throw new Error('no column');
  return found;
})();

const members = (maxLength: number): fc.Arbitrary<string[]> =>
  fc
    .uniqueArray(fc.integer({ min: 0, max: 400 }), { maxLength, size: 'max' })
    .map((numbers) => numbers.map((n) => String(n).padStart(3, '0')).toSorted());

// Both ways of doing it are met: few elements in a large set, and many in a small one.
test.prop([fc.oneof(members(200), members(10)), fc.oneof(members(4), members(60))])(
  'the difference of a set is the elements that change sides, whatever its size',
  (before, toggled) => {
    const after = [
      ...before.filter((member) => !toggled.includes(member)),
      ...toggled.filter((member) => !before.includes(member)),
    ].toSorted();
    const copy = [...before];
    expect(applyDifference(column, before, toggled)).toEqual(after);
    expect(before).toEqual(copy);
  },
);
