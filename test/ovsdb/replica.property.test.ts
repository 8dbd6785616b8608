import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Database,
  type Operation,
  type Row,
  type RowChange,
  type Value,
  type WireAtom,
  type WireRow,
  type WireValue,
  decodeValue,
  openDatabase,
} from '../../src/ovsdb/index.ts';
import { startMessageProxy } from '../support/message-proxy.ts';
import { EFFORT, SEED } from '../support/seed.ts';
import { type OvsdbServer, startOvsdbServer } from '../support/ovsdb-server.ts';

const SCHEMA_FILE = fileURLToPath(new URL('schemas/kinds.ovsschema', import.meta.url));
const TRANSACTIONS = 2000 * EFFORT;
const WRITERS = 4;
const ROUND = 40;

let server: OvsdbServer;
beforeAll(async () => {
  server = await startOvsdbServer({ schemaFile: SCHEMA_FILE });
});
afterAll(() => server.stop());

test(`after ${TRANSACTIONS} random transactions of ${WRITERS} writers the replicas equal the database at every quiet point (seed ${SEED})`, async () => {
  const random = randomNumbers(SEED);
  const proxy = await startMessageProxy(server.socketPath);
  const open = (remote: string, tables?: Record<string, 'all'>): Promise<Database> =>
    // Named more often than it is cut off, the remote is tried again without a wait.
    openDatabase({
      remotes: Array<string>(TRANSACTIONS).fill(remote),
      database: 'Kinds',
      ...(tables && { tables }),
    });
  const writers = await Promise.all(Array.from({ length: WRITERS }, () => open(server.endpoint, {})));
  const readers = [await open(server.endpoint), await open(proxy.endpoint)];
  const followers = readers.map((reader) => {
    const copy = new Map<string, Row>();
    reader.referrers('' as Row['_uuid']);
    reader.onChange((changes) => {
      follow(copy, changes);
    });
    return copy;
  });
  const indexes = readers.map((reader) => INDEXED.map((by) => [by, reader.index('Thing', by)] as const));
  let committed = 0;
  for (let done = 0; done < TRANSACTIONS; done += ROUND) {
    const outcomes = await Promise.all(
      Array.from({ length: ROUND }, (_, n) => {
        const transaction = randomTransaction(random, readers[0]!);
        return writers[n % WRITERS]!.transact(transaction);
      }),
    );
    committed += outcomes.filter(({ kind }) => kind === 'committed').length;
    expect(outcomes.every(({ kind }) => kind === 'committed' || kind === 'refused')).toBe(true);
    // Now and then the second reader loses its connection, and catches up with a complete copy.
    if (random() < 0.2) proxy.cut();
    const truth = print(await selectAll(writers[0]!));
    for (const [n, reader] of readers.entries()) {
      await reader.resynced();
      expect(print(contents(reader))).toEqual(truth);
      expect(print(followers[n]!)).toEqual(truth);
      expect(referrers(reader)).toEqual(expectedReferrers(reader));
      for (const [by, index] of indexes[n]!) {
        for (const value of by === 'number' ? NUMBERS : TEXTS) {
          const found = index.all(value).map((row) => row._uuid);
          expect(found.toSorted()).toEqual(expectedFound(reader, by, value));
        }
      }
    }
  }
  // Most of them must get through, or the test would prove nothing.
  expect(committed).toBeGreaterThan(TRANSACTIONS / 2);
  await Promise.all([...writers, ...readers].map((database) => database.close()));
  await proxy.stop();
}, 240_000);

type Random = () => number;

/** mulberry32: small, and the same on every machine. */
function randomNumbers(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!;
}

function some<T>(random: Random, from: readonly T[], most: number): readonly T[] {
  const count = Math.floor(random() * (most + 1));
  return [...new Set(Array.from({ length: count }, () => pick(random, from)))];
}

const TEXTS = ['', 'a', 'b', 'B', 'ä', '€', '𝄞', '"', '\\', '}{', 'x'.repeat(70), '10.0.0.1', '1'];
const NUMBERS: readonly (number | bigint)[] = [
  0,
  1,
  -1,
  2,
  10,
  9,
  2 ** 53 - 1,
  9007199254740993n,
  -(2n ** 63n),
];
const REALS = [0, 0.5, -1.25, 1e300, 3];

function randomTransaction(random: Random, seen: Database): readonly Operation[] {
  const parts: string[] = [];
  const operations: Operation[] = [];
  const count = 1 + Math.floor(random() * 4);
  for (let n = 0; n < count; n++) operations.push(randomOperation(random, seen, parts));
  for (const [n, name] of parts.entries()) {
    const next: WireRow = n > 0 && random() < 0.3 ? { next: ['named-uuid', parts[n - 1]!] } : {};
    operations.push({
      op: 'insert',
      table: 'Part',
      'uuid-name': name,
      row: { name: pick(random, TEXTS), ...next },
    });
  }
  return operations;
}

function randomOperation(random: Random, seen: Database, parts: string[]): Operation {
  const things = [...seen.rows('Thing').keys()];
  const where = things.length === 0 ? [] : ([['_uuid', '==', ['uuid', pick(random, things)]]] as const);
  const kind = random();
  if (kind < 0.27) return { op: 'insert', table: 'Thing', row: randomRow(random, seen, parts) };
  if (kind < 0.35) return { op: 'insert', table: 'Named', row: { name: `n${Math.floor(random() * 50)}` } };
  if (kind < 0.45)
    return { op: 'delete', table: 'Named', where: [['name', '==', `n${Math.floor(random() * 50)}`]] };
  if (kind < 0.6) return { op: 'delete', table: 'Thing', where };
  if (kind < 0.8) return { op: 'update', table: 'Thing', where, row: randomRow(random, seen, parts) };
  return { op: 'mutate', table: 'Thing', where, mutations: [randomMutation(random, seen, parts)] };
}

function randomMutation(
  random: Random,
  seen: Database,
  parts: string[],
): readonly [string, 'insert' | 'delete', WireValue] {
  const column = pick(random, ['texts', 'numbers', 'labels', 'by_number', 'parts', 'friends', 'ratios']);
  return [column, random() < 0.6 ? 'insert' : 'delete', COLUMNS[column]!(random, seen, parts)];
}

function randomRow(random: Random, seen: Database, parts: string[]): WireRow {
  return Object.fromEntries(
    some(random, Object.keys(COLUMNS), 6).map((column) => [column, COLUMNS[column]!(random, seen, parts)]),
  );
}

type Generate = (random: Random, seen: Database, parts: string[]) => WireValue;

const setOf = (atoms: readonly WireAtom[]): WireValue => (atoms.length === 1 ? atoms[0]! : ['set', atoms]);
const mapOf =
  (keys: readonly WireAtom[], values: readonly WireAtom[], most: number): Generate =>
  (random) => ['map', some(random, keys, most).map((key) => [key, pick(random, values)] as const)];
const newPart = (parts: string[]): WireAtom => {
  parts.push(`p${parts.length}`);
  return ['named-uuid', parts.at(-1)!];
};

const COLUMNS: Readonly<Record<string, Generate>> = {
  text: (random) => pick(random, TEXTS),
  optional_text: (random) => setOf(some(random, TEXTS, 1)),
  texts: (random) => setOf(some(random, TEXTS, 5)),
  some_texts: (random) => setOf([pick(random, TEXTS)]),
  choice: (random) => setOf(some(random, ['red', 'green'], 1)),
  number: (random) => pick(random, NUMBERS),
  optional_number: (random) => setOf(some(random, [0, 5, 9007199254740993n], 1)),
  numbers: (random) => setOf(some(random, NUMBERS, 5)),
  few_numbers: (random) => setOf(some(random, NUMBERS, 3)),
  ratio: (random) => pick(random, REALS),
  ratios: (random) => setOf(some(random, REALS, 4)),
  flag: (random) => random() < 0.5,
  optional_flag: (random) => setOf(some(random, [true, false], 1)),
  flags: (random) => setOf(some(random, [true, false], 2)),
  labels: mapOf(TEXTS, TEXTS, 4),
  counts: mapOf(TEXTS, NUMBERS, 4),
  by_number: mapOf(NUMBERS, TEXTS, 4),
  one_label: mapOf(TEXTS, TEXTS, 1),
  queues: (random, _seen, parts) => [
    'map',
    some(random, [0, 1, 2], 2).map((key) => [key, newPart(parts)] as const),
  ],
  parts: (random, seen, parts) => {
    const known = some(random, [...seen.rows('Part').keys()], 2).map((uuid) => ['uuid', uuid] as const);
    return setOf(seen.rows('Part').size > 0 && random() < 0.4 ? known : [newPart(parts)]);
  },
  friends: (random, seen) =>
    seen.rows('Thing').size === 0
      ? ['set', []]
      : setOf(some(random, [...seen.rows('Thing').keys()], 3).map((uuid) => ['uuid', uuid] as const)),
  best_friend: (random, seen) =>
    seen.rows('Thing').size === 0
      ? ['set', []]
      : setOf(some(random, [...seen.rows('Thing').keys()], 1).map((uuid) => ['uuid', uuid] as const)),
};

async function selectAll(database: Database): Promise<ReadonlyMap<string, Row>> {
  const tables = [...database.schema.tables.values()];
  const outcome = await database.transact(
    tables.map(({ name }) => ({ op: 'select', table: name, where: [] })),
  );
  if (outcome.kind !== 'committed') throw new Error(`select: ${outcome.kind}`);
  const rows = new Map<string, Row>();
  for (const [n, table] of tables.entries()) {
    for (const wire of outcome.results[n]?.rows ?? []) {
      const uuid = (wire['_uuid'] as readonly [string, string])[1];
      const columns = [...table.columns.values()].map((column): [string, Value] => [
        column.name,
        decodeValue(column, wire[column.name]),
      ]);
      rows.set(`${table.name}/${uuid}`, { _uuid: uuid, ...Object.fromEntries(columns) } as Row);
    }
  }
  return rows;
}

/** One line a row, in a form in which values of different types differ. */
function print(rows: ReadonlyMap<string, Row>): readonly string[] {
  const lines = [...rows].map(([key, row]) => {
    const columns = Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `${key} ${columns.map(([name, value]) => `${name}=${printValue(value)}`).join(' ')}`;
  });
  return lines.toSorted();
}

function printValue(value: Value): string {
  if (value instanceof Map)
    return `{${[...value].map(([k, v]) => `${printValue(k)}:${printValue(v)}`).join()}}`;
  if (Array.isArray(value)) return `[${value.map(printValue).join()}]`;
  if (typeof value === 'bigint') return `${value}n`;
  return JSON.stringify(value) ?? 'nothing';
}

function contents(database: Database): ReadonlyMap<string, Row> {
  const rows = new Map<string, Row>();
  for (const table of database.schema.tables.keys()) {
    for (const [uuid, row] of database.rows(table)) rows.set(`${table}/${uuid}`, row);
  }
  return rows;
}

/** Rebuilds the replica from the changes alone. */
function follow(copy: Map<string, Row>, changes: readonly RowChange[]): void {
  for (const { table, uuid, before, after } of changes) {
    const key = `${table}/${uuid}`;
    if (copy.get(key) !== before) throw new Error(`${key} was not what the change starts from`);
    if (after === undefined) copy.delete(key);
    else copy.set(key, after);
  }
}

/** Who refers to whom, by the index of the replica. */
function referrers(database: Database): readonly string[] {
  const targets = new Set([...database.rows('Part').keys(), ...database.rows('Thing').keys()]);
  // ovsdb-server 3.1 now and then keeps a weak reference to a row that is gone; the replica shows what the server shows.
  for (const line of expectedReferrers(database)) targets.add(line.split(' ')[0] as Row['_uuid']);
  const lines = [...targets].flatMap((target) =>
    database.referrers(target).map(({ table, uuid, column }) => `${target} <- ${table}/${uuid}.${column}`),
  );
  return lines.toSorted();
}

/** A scalar, an optional and a key of a map. */
const INDEXED = ['number', 'optional_text', 'labels:a'] as const;

/** The rows that an index should find, by looking at every row. */
function expectedFound(database: Database, by: (typeof INDEXED)[number], value: Value): readonly string[] {
  const rows = [...database.rows('Thing').values()];
  const has = (row: Row): boolean =>
    by === 'labels:a' ? (row['labels'] as ReadonlyMap<string, Value>).get('a') === value : row[by] === value;
  return rows
    .filter(has)
    .map((row) => row._uuid)
    .toSorted();
}

/** Who refers to whom, by looking at every row. */
function expectedReferrers(database: Database): readonly string[] {
  const lines = new Set<string>();
  for (const [key, row] of contents(database)) {
    for (const column of ['parts', 'friends', 'next', 'best_friend']) {
      const value = row[column] ?? [];
      for (const target of Array.isArray(value) ? (value as readonly string[]) : [value as string]) {
        lines.add(`${target} <- ${key}.${column}`);
      }
    }
    const queues = (row['queues'] ?? new Map()) as ReadonlyMap<number, string>;
    for (const target of queues.values()) lines.add(`${target} <- ${key}.queues`);
  }
  return [...lines].toSorted();
}
