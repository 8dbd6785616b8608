import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Row, type RowChange, type Uuid, parseSchema } from '../../src/ovsdb/index.ts';
import { type TableUpdates, UpdateReader } from '../../src/ovsdb/protocol/update-reader.ts';
import { ProtocolError } from '../../src/ovsdb/protocol/value.ts';
import { Replica } from '../../src/ovsdb/replica/replica.ts';
import { selectTables } from '../../src/ovsdb/replica/selection.ts';

const SCHEMA_FILE = new URL('schemas/kinds.ovsschema', import.meta.url);

let replica: Replica;
beforeEach(() => {
  replica = emptyReplica();
});

describe('an index', () => {
  test.each([
    ['a column', 'name', ['a']],
    ['several columns', ['name', 'note'], ['a', 'x']],
    ['anything made of the row', (row: Row) => row['name'] === 'a', [true]],
  ])('finds rows by %s', (_, by, values) => {
    const index = replica.index('Named', by);
    update({ Named: { [uuid(1)]: named('a', 'x'), [uuid(2)]: named('b', 'x') } });
    expect(index.get(...values)).toBe(replica.rows('Named').get(uuid(1)));
    expect(index.all(...values)).toHaveLength(1);
    expect(index.all('nobody')).toEqual([]);
    expect(index.get('nobody')).toBeUndefined();
  });

  test('finds rows by a key of a map, and not those without it', () => {
    update({ Thing: { [uuid(1)]: labelled('k:1', 'v'), [uuid(2)]: labelled('other', 'v') } });
    const index = replica.index('Thing', 'labels:k:1');
    expect(index.all('v').map((row) => row._uuid)).toEqual([uuid(1)]);
    update({ Thing: { [uuid(2)]: { modify: { labels: ['map', [['k:1', 'v']]] } } } });
    expect(new Set(index.all('v').map((row) => row._uuid))).toEqual(new Set([uuid(1), uuid(2)]));
    update({ Thing: { [uuid(1)]: { delete: null } } });
    expect(index.all('v')).toEqual([replica.rows('Thing').get(uuid(2))]);
  });

  test('follows a complete copy, and a schema that has the column no more and then again', () => {
    const index = replica.index('Named', 'note');
    copy({ Named: { [uuid(1)]: named('a', 'x') } });
    expect(index.get('x')?.['name']).toBe('a');
    copy({ Named: { [uuid(1)]: named('a', 'y') } });
    expect([index.get('x'), index.get('y')?.['name']]).toEqual([undefined, 'a']);
    const narrow = emptyReplica({ Named: ['name'] });
    narrow.inherit(replica);
    expect(index.get('y')).toBeUndefined();
    replica = emptyReplica();
    replica.inherit(narrow);
    update({ Named: { [uuid(2)]: named('b', 'y') } });
    expect(index.get('y')?.['name']).toBe('b');
  });

  test.each(['nope', 'texts', 'name:key', 'numbers:key'])('by %s is refused', (by) => {
    expect(() => replica.index('Thing', by)).toThrow('to find rows by');
  });
});

describe('a snapshot', () => {
  test('stays as it was, while the live rows change', () => {
    update({ Named: { [uuid(1)]: named('a', 'x') } });
    const live = replica.rows('Named');
    const before = replica.snapshot();
    update({ Named: { [uuid(1)]: { modify: { note: 'y' } }, [uuid(2)]: named('b', '') } });
    const between = replica.snapshot();
    copy({ Named: {} });
    expect([...before.rows('Named').values()].map((row) => row['note'])).toEqual(['x']);
    expect([...between.rows('Named').values()].map((row) => row['note'])).toEqual(['y', '']);
    expect(live.size).toBe(0);
    expect(() => before.rows('Nope')).toThrow('not in the replica');
  });

  test('is no copy as long as nothing changes', () => {
    update({ Named: { [uuid(1)]: named('a', 'x') } });
    expect(replica.snapshot().rows('Named')).toBe(replica.snapshot().rows('Named'));
  });
});

describe('a complete copy', () => {
  test('reports only what differs, and keeps equal rows and their uuids', () => {
    copy({
      Named: { [uuid(1)]: named('keep', 'x'), [uuid(2)]: named('change', 'x'), [uuid(3)]: named('go', '') },
    });
    const keep = replica.rows('Named').get(uuid(1));
    const changes = copy({
      Named: { [uuid(2)]: named('change', 'y'), [uuid(4)]: named('come', ''), [uuid(1)]: named('keep', 'x') },
    });
    expect(replica.rows('Named').get(uuid(1))).toBe(keep);
    expect(summary(changes)).toEqual(['change x -> y', 'come undefined -> ', 'go  -> undefined']);
  });

  test('is compared with what the replica holds at its end', () => {
    copy({ Named: { [uuid(1)]: named('a', 'x'), [uuid(2)]: named('b', 'x') } });
    const load = replica.load();
    load.add(UpdateReader.of({ Named: { [uuid(1)]: named('a', 'y'), [uuid(2)]: named('b', 'x') } }));
    update({ Named: { [uuid(1)]: { modify: { note: 'y' } }, [uuid(2)]: { modify: { note: 'y' } } } });
    expect(summary(replica.replaceWith(load))).toEqual(['b y -> x']);
  });

  test.each([
    ['a row without content', { Named: { [uuid(1)]: { delete: null } } }],
    ['a table that was not asked for', { Nope: { [uuid(1)]: named('a', '') } }],
    ['a column that was not asked for', { Named: { [uuid(1)]: { initial: { nope: 1 } } } }],
  ])('with %s is refused', (_, updates) => {
    expect(() => replica.load().add(UpdateReader.of(updates))).toThrow(ProtocolError);
  });

  test('with a row twice is refused', () => {
    const row = `"${uuid(1)}":{"initial":{}}`;
    const text = Buffer.from(`{"Named":{${row},${row}}}`);
    expect(() => replica.load().add(new UpdateReader(text, 1, text.length - 1))).toThrow('there twice');
  });
});

describe('an update', () => {
  test.each([
    ['inserts what is there', { [uuid(1)]: { insert: {} } }],
    ['has an old side for what is not there', { [uuid(2)]: { old: {}, new: {} } }],
    ['has no old side for what is there', { [uuid(1)]: { new: {} } }],
    ['changes what is not there', { [uuid(2)]: { modify: {} } }],
    ['deletes what is not there', { [uuid(2)]: { delete: null } }],
    ['says nothing', { [uuid(2)]: {} }],
  ])('that %s is refused and changes nothing', (_, rows) => {
    update({ Named: { [uuid(1)]: named('a', 'x') } });
    const row = replica.rows('Named').get(uuid(1));
    expect(() => update({ Named: { [uuid(3)]: named('c', ''), ...rows } })).toThrow(ProtocolError);
    expect([...replica.rows('Named').values()]).toEqual([row]);
  });

  test('of the first version of the protocol is taken in', () => {
    update({ Named: { [uuid(1)]: { new: { name: 'a' } }, [uuid(2)]: { new: { name: 'b' } } } });
    const changes = update({
      Named: {
        [uuid(1)]: { new: { name: 'a', note: 'x' }, old: { note: '' } },
        [uuid(2)]: { old: { name: 'b' } },
      },
    });
    expect(summary(changes)).toEqual(['a  -> x', 'b  -> undefined']);
  });
});

test('more rows than the limit are refused, in a copy and in an update', () => {
  replica = emptyReplica(undefined, 2);
  const three = { [uuid(1)]: named('a', ''), [uuid(2)]: named('b', ''), [uuid(3)]: named('c', '') };
  expect(() => copy({ Named: three })).toThrow('more than 2 rows');
  expect(() => update({ Named: three })).toThrow('more than 2 rows');
  expect(replica.rows('Named').size).toBe(0);
  update({ Named: { [uuid(1)]: named('a', ''), [uuid(2)]: named('b', '') } });
  update({ Named: { [uuid(1)]: { delete: null }, [uuid(3)]: named('c', '') } });
  expect(replica.rows('Named').size).toBe(2);
});

test('rows and references share one uuid, and rows share equal values', () => {
  update({
    Part: { [uuid(1)]: { insert: { name: 'p' } } },
    Thing: {
      [uuid(2)]: {
        insert: { parts: ['uuid', uuid(1)], labels: ['map', [['a', 'b']]], texts: ['set', ['x', 'y']] },
      },
      [uuid(3)]: { insert: { labels: ['map', [['a', 'b']]], texts: ['set', ['x', 'y']] } },
    },
  });
  const [a, b] = [...replica.rows('Thing').values()];
  expect(a?.['labels']).toBe(b?.['labels']);
  expect(a?.['texts']).toBe(b?.['texts']);
  expect(replica.referrers(uuid(1))).toEqual([{ table: 'Thing', uuid: uuid(2), column: 'parts' }]);
});

function emptyReplica(tables?: Readonly<Record<string, readonly string[]>>, maxRows?: number): Replica {
  const schema = parseSchema(JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')));
  if (!schema.ok) throw new Error(schema.error);
  return new Replica(schema.value, selectTables(schema.value, tables).selection, maxRows);
}

function update(updates: TableUpdates): readonly RowChange[] {
  const update = replica.update();
  update.add(UpdateReader.of(updates));
  return replica.commit(update);
}

function copy(updates: TableUpdates): readonly RowChange[] {
  const load = replica.load();
  load.add(UpdateReader.of(updates));
  return replica.replaceWith(load);
}

function summary(changes: readonly RowChange[]): readonly string[] {
  return changes
    .map(({ before, after }) => {
      const [name, was, is] = [(after ?? before)?.['name'], before?.['note'], after?.['note']].map(String);
      return `${name} ${was} -> ${is}`;
    })
    .toSorted();
}

function named(name: string, note: string): { readonly insert: Readonly<Record<string, unknown>> } {
  return { insert: { name, note } };
}

function labelled(key: string, value: string): { readonly insert: Readonly<Record<string, unknown>> } {
  return { insert: { labels: ['map', [[key, value]]] } };
}

function uuid(n: number): Uuid {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` as Uuid;
}
