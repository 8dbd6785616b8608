import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import type { Atom, ColumnSchema, Row, RowChange, Uuid, Value } from '../../src/ovsdb/index.ts';
import { UpdateReader, hashOf } from '../../src/ovsdb/protocol/update-reader.ts';
import { ProtocolError } from '../../src/ovsdb/protocol/value.ts';
import { applyDifference } from '../../src/ovsdb/replica/difference.ts';
import { References } from '../../src/ovsdb/replica/references.ts';
import { TableRows } from '../../src/ovsdb/replica/table-rows.ts';
import { UuidGroups } from '../../src/ovsdb/replica/uuid-groups.ts';
import { UuidPool } from '../../src/ovsdb/replica/uuid-pool.ts';
import { ValueCache } from '../../src/ovsdb/replica/value-cache.ts';
import { SCHEMA } from './replica-probe.ts';
import { rowUuid } from './values.ts';

const NUMBERS = fc
  .uniqueArray(fc.integer({ min: 0, max: 9 }), { maxLength: 8 })
  .map((all) => all.toSorted((a, b) => a - b));
const MANY = fc
  .uniqueArray(fc.integer({ min: 0, max: 300 }), { minLength: 60, maxLength: 200, size: 'max' })
  .map((all) => all.toSorted((a, b) => a - b));
const FEW = fc
  .uniqueArray(fc.integer({ min: -2, max: 302 }), { maxLength: 6 })
  .map((all) => all.toSorted((a, b) => a - b));
const PAIRS = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 2 })), {
    selector: ([key]) => key,
  })
  .map((all) => all.toSorted(([a], [b]) => a - b));
const UUIDS = fc.nat(4).map((n) => rowUuid(n) as Uuid);

describe('a difference', () => {
  property.prop([NUMBERS, NUMBERS])('of sets leads from one to the other', (before, after) => {
    const changed = [
      ...before.filter((n) => !after.includes(n)),
      ...after.filter((n) => !before.includes(n)),
    ];
    const difference = changed.toSorted((a, b) => a - b);
    expect(applyDifference(column('set_integer'), before, difference)).toStrictEqual(after);
  });

  property.prop([MANY, FEW])('of a large set changes the sides of a few', (before, changed) => {
    const after = [
      ...before.filter((n) => !changed.includes(n)),
      ...changed.filter((n) => !before.includes(n)),
    ];
    const result = applyDifference(column('set_integer'), before, changed);
    expect(result).toStrictEqual(after.toSorted((a, b) => a - b));
  });

  property.prop([PAIRS, PAIRS])(
    'of maps leads from one to the other, in the order of their keys',
    (before, after) => {
      const [was, is] = [new Map(before), new Map(after)];
      const changed = [
        ...before.filter(([key]) => !is.has(key)),
        ...after.filter(([key, value]) => was.get(key) !== value),
      ];
      const result = applyDifference(column('map_integer_integer'), was, new Map(changed));
      expect([...(result as ReadonlyMap<Atom, Atom>)]).toStrictEqual(after);
      expect([...was]).toStrictEqual(before);
    },
  );

  test('that changes no keys keeps the order in which the server wrote them', () => {
    const map = new Map([
      ['a', 1],
      ['b', 2],
    ]);
    const result = applyDifference(column('map_string_integer'), map, new Map([['b', 3]]));
    expect([...(result as ReadonlyMap<Atom, Atom>)]).toEqual([
      ['a', 1],
      ['b', 3],
    ]);
  });

  test('is the new value where at most one fits', () => {
    const pair = new Map([['a', 'b']]);
    expect(applyDifference(column('pair_string'), pair, pair)).toBe(pair);
    expect(applyDifference(column('one_integer'), 1, 1)).toBe(1);
    expect(applyDifference(column('maybe_integer'), 1, undefined)).toBeUndefined();
  });

  test.each<[string, Value, Value]>([
    ['set_integer', [1], new Map()],
    ['set_integer', 1, [1]],
    ['map_integer_integer', new Map(), [1]],
    ['map_integer_integer', [1], new Map()],
  ])('of another kind than %s is refused', (name, before, difference) => {
    expect(() => applyDifference(column(name), before, difference)).toThrow(ProtocolError);
    expect(() => applyDifference(column(name), before, difference)).toThrow(
      `difference of ${name} is of another kind`,
    );
  });
});

property.prop([fc.array(fc.tuple(fc.boolean(), fc.nat(2), UUIDS))])(
  'groups hold what was added and not removed',
  (steps) => {
    const groups = new UuidGroups<number>();
    const model = new Map<number, Set<Uuid>>();
    for (const [isAdded, key, uuid] of steps) {
      const group = model.get(key) ?? new Set();
      model.set(key, group);
      if (isAdded) {
        groups.add(key, uuid);
        group.add(uuid);
      } else {
        groups.remove(key, uuid);
        group.delete(uuid);
      }
      for (const [each, uuids] of model) {
        expect([...groups.of(each)].toSorted()).toEqual([...uuids].toSorted());
        const first = groups.first(each);
        expect(first === undefined ? uuids.size === 0 : uuids.has(first)).toBe(true);
      }
      expect(groups.isEmpty).toBe([...model.values()].every(({ size }) => size === 0));
    }
  },
);

property.prop([fc.array(fc.tuple(fc.constantFrom('put', 'remove', 'hold', 'become'), UUIDS, fc.nat(9)))])(
  'the rows of a table are those of a map, and what is held stays',
  (steps) => {
    const rows = new TableRows();
    let model = new Map<Uuid, Row>();
    const held: { readonly rows: ReadonlyMap<Uuid, Row>; readonly model: ReadonlyMap<Uuid, Row> }[] = [];
    for (const [step, uuid, n] of steps) {
      const row: Row = { _uuid: uuid, n };
      if (step === 'put') rows.put(row);
      if (step === 'remove') rows.remove(uuid);
      if (step === 'become') rows.become(new Map([[uuid, row]]));
      if (step === 'put') model.set(uuid, row);
      if (step === 'remove') model.delete(uuid);
      if (step === 'become') model = new Map([[uuid, row]]);
      if (step === 'hold') held.push({ rows: rows.hold(), model: new Map(model) });
      expect([...rows]).toEqual([...model]);
    }
    expect([...rows.keys()]).toEqual([...model.keys()]);
    expect([...rows.values()]).toEqual([...model.values()]);
    expect([...rows.entries()]).toEqual([...model]);
    expect(rows.size).toBe(model.size);
    const seen: [Uuid, Row][] = [];
    rows.forEach((row, uuid, map) => {
      expect(map).toBe(rows);
      expect(map.has(uuid)).toBe(true);
      expect(map.get(uuid)).toBe(row);
      seen.push([uuid, row]);
    });
    expect(seen).toEqual([...model]);
    for (const each of held) expect([...each.rows]).toEqual([...each.model]);
  },
);

property.prop([fc.array(fc.uuid(), { minLength: 100, maxLength: 400 }), fc.nat()])(
  'a pool gives the uuid that stands there, and only what is one',
  (uuids, at) => {
    const known: string[] = [];
    const pool = new UuidPool((table, uuid) => {
      known.push(`${table}/${uuid}`);
      return undefined;
    });
    for (const round of [1, 2, 3]) {
      for (const uuid of uuids) expect(pool.share(Buffer.from(`"${uuid}"`), 1, 'T')).toBe(uuid);
      // Asked once for each, until the pool has forgotten them.
      expect(known).toHaveLength(new Set(uuids).size * (round < 3 ? 1 : 2));
      if (round === 2) pool.clear();
    }
    expect(new Set(known)).toEqual(new Set(uuids.map((uuid) => `T/${uuid}`)));
    const wrong = Buffer.from(uuids[0] as string);
    wrong.write(at % 36 === 8 ? '0' : 'G', at % 36);
    expect(pool.share(wrong, 0, 'T')).toBeUndefined();
  },
);

test.each(['0', '9', 'a', 'f', '/', ':', '`', 'g', 'F', '-'])(
  'a pool takes %s for a digit only if it is one',
  (digit) => {
    const text = `${digit}0000000-0000-4000-8000-000000000000`;
    expect(new UuidPool().share(Buffer.from(text), 0, 'T')).toBe(/[0-9a-f]/.test(digit) ? text : undefined);
  },
);

property.prop([
  fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'ä', '\\n'), fc.nat(400)), { maxLength: 300 }),
])('a cache gives what was read from the same bytes, and the same object while it has it', (values) => {
  const cache = new ValueCache();
  for (const [letter, length] of values) {
    const text = `"${letter.repeat(length)}"`;
    const read = (): { readonly value: Value; readonly isNew: boolean } => {
      const bytes = Buffer.from(text);
      const reader = new UpdateReader(bytes, 0, bytes.length);
      reader.value();
      let isNew = false;
      const value = cache.share(reader, () => {
        isNew = true;
        return [reader.json() as string];
      });
      return { value, isNew };
    };
    const first = read();
    expect(first.value).toEqual([JSON.parse(text)]);
    const again = read();
    expect(again.value).toEqual(first.value);
    const isShort = Buffer.byteLength(text) <= 256;
    expect([again.isNew, again.value === first.value]).toEqual([!isShort, isShort]);
  }
});

property.prop([fc.string({ unit: 'grapheme-ascii' }).filter((text) => !/["\\\\]/.test(text))])(
  'a name has the hash that its bytes have when they are read',
  (name) => {
    const bytes = Buffer.from(`{"${name}":1}`);
    const reader = new UpdateReader(bytes, 0, bytes.length);
    reader.enter();
    expect(reader.nextMember()).toBe(true);
    expect(reader.hash).toBe(hashOf(name));
    expect(reader.spells(name)).toBe(true);
    expect(reader.spells(`${name}x`)).toBe(false);
  },
);

property.prop([
  fc.array(
    fc.tuple(UUIDS, fc.array(UUIDS, { maxLength: 3 }), fc.option(UUIDS), fc.array(UUIDS, { maxLength: 2 })),
  ),
])('references are those of the rows', (steps) => {
  const columns = new Map(
    [...columnsOfThing()].filter(([name]) =>
      ['friends', 'best_friend', 'map_uuid_uuid', 'map_integer_uuid', 'one_string'].includes(name),
    ),
  );
  const references = new References(new Map([['Thing', columns]]));
  const rows = new Map<Uuid, Row>();
  for (const [uuid, friends, best, others] of steps) {
    const before = rows.get(uuid);
    const after: Row | undefined =
      best === null && friends.length === 0
        ? undefined
        : {
            _uuid: uuid,
            one_string: uuid,
            friends: [...new Set(friends)].toSorted(),
            best_friend: best ?? undefined,
            map_uuid_uuid: new Map(others.map((other) => [other, uuid])),
            map_integer_uuid: new Map(others.map((other, n) => [n, other])),
          };
    if (after === undefined) rows.delete(uuid);
    else rows.set(uuid, after);
    const change: RowChange = { table: 'Thing', uuid, before, after };
    references.apply(change);
    references.apply({ ...change, table: 'Other' });
    for (let n = 0; n < 5; n++) {
      const target = rowUuid(n) as Uuid;
      const found = references.of(target).map((one) => `${one.table}/${one.uuid}.${one.column}`);
      expect(found.toSorted()).toEqual(expectedReferrers(rows, target));
    }
  }
});

function expectedReferrers(rows: ReadonlyMap<Uuid, Row>, target: Uuid): readonly string[] {
  const lines = [...rows].flatMap(([uuid, row]) => {
    const holds: Readonly<Record<string, boolean>> = {
      friends: (row['friends'] as readonly Atom[]).includes(target),
      best_friend: row['best_friend'] === target,
      map_uuid_uuid: [...(row['map_uuid_uuid'] as ReadonlyMap<Atom, Atom>)].flat().includes(target),
      map_integer_uuid: [...(row['map_integer_uuid'] as ReadonlyMap<Atom, Atom>).values()].includes(target),
    };
    return Object.keys(holds)
      .filter((name) => holds[name])
      .map((name) => `Thing/${uuid}.${name}`);
  });
  return lines.toSorted();
}

function column(name: string): ColumnSchema {
  return columnsOfThing().get(name) as ColumnSchema;
}

function columnsOfThing(): ReadonlyMap<string, ColumnSchema> {
  return SCHEMA.tables.get('Thing')?.columns ?? new Map();
}
