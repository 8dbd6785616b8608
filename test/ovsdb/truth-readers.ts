import { expect } from 'vitest';
import {
  type Atom,
  type Condition,
  type Database,
  type IndexBy,
  type Row,
  type RowChange,
  type RowIndex,
  type Snapshot,
  type Value,
  type WantedTables,
  isSet,
  openDatabase,
} from '../../src/ovsdb/index.ts';
import { type ExactJson, printExactly } from '../fuzz/exact-json.ts';
import { type MessageProxy, startMessageProxy } from '../support/message-proxy.ts';
import { TRUTH_TABLES } from './truth-schema.ts';
import type { TruthRows } from './truth-server.ts';
import { type RowTexts, replicaTexts, textDifferences, truthTexts } from './truth-text.ts';
import type { Random } from './truth-transactions.ts';

type Columns = Readonly<Record<string, readonly string[]>>;

/** A replica under test, with everything that is made of it beside it. */
export class TruthReader {
  readonly #database: Database;
  /** Undefined for a replica of everything. */
  readonly #columns: Columns | undefined;
  readonly #copy = new Map<string, Row>();
  readonly #indexes: readonly WatchedIndex[];
  readonly #snapshots: { readonly snapshot: Snapshot; readonly texts: RowTexts }[] = [];
  /** How many changes were reported. */
  changes = 0;

  private constructor(database: Database, columns: Columns | undefined, random: Random) {
    this.#database = database;
    this.#columns = columns;
    this.#indexes = watchIndexes(database);
    database.referrers('' as Row['_uuid']);
    for (const [key, row] of rowsOf(database, columns)) this.#copy.set(key, row);
    database.onChange((changes) => {
      this.changes += changes.length;
      this.#follow(changes);
      if (random() < 0.005) this.#keepSnapshot();
    });
  }

  static async open(remote: string, random: Random, wanted?: WantedTables): Promise<TruthReader> {
    const database = await openDatabase({
      // Named more often than it is cut off, the remote is tried again without a wait.
      remotes: Array<string>(50_000).fill(remote),
      database: 'Truth',
      ...(wanted && { tables: wanted }),
    });
    return new TruthReader(database, wanted && columnsOf(wanted), random);
  }

  want(wanted: WantedTables): Promise<void> {
    return this.#database.want(wanted);
  }

  /** Holds everything against what ovsdb-client saw. */
  async check(truth: TruthRows): Promise<void> {
    await this.#database.resynced();
    const texts = replicaTexts(this.#database, this.#columns);
    expect(textDifferences(texts, truthTexts(truth, this.#columns))).toEqual([]);
    expect(strangers(this.#copy, rowsOf(this.#database, this.#columns))).toEqual([]);
    this.#checkReferrers();
    for (const index of this.#indexes) index.check();
    for (const { snapshot, texts: before } of this.#snapshots.splice(0)) {
      expect(textDifferences(replicaTexts(snapshot, this.#columns), before)).toEqual([]);
    }
    this.#keepSnapshot();
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #keepSnapshot(): void {
    if (this.#snapshots.length > 2) return;
    const snapshot = this.#database.snapshot();
    this.#snapshots.push({ snapshot, texts: replicaTexts(snapshot, this.#columns) });
  }

  /** Rebuilds the replica from the changes alone. */
  #follow(changes: readonly RowChange[]): void {
    for (const { table, uuid, before, after } of changes) {
      const key = `${table}/${uuid}`;
      if (this.#copy.get(key) !== before) throw new Error(`${key} was not what the change starts from`);
      if (after === undefined) this.#copy.delete(key);
      else this.#copy.set(key, after);
    }
  }

  #checkReferrers(): void {
    const expected = new Map<string, string[]>();
    const rows = rowsOf(this.#database, this.#columns);
    for (const [key, row] of rows) {
      for (const [column, targets] of referencesOf(key, row)) {
        for (const target of targets)
          expected.set(target, [...(expected.get(target) ?? []), `${key}.${column}`]);
      }
    }
    const uuids = new Set([...expected.keys(), ...[...rows.values()].map((row) => row._uuid)]);
    for (const target of uuids) {
      const found = this.#database.referrers(target as Row['_uuid']);
      const lines = found.map(({ table, uuid, column }) => `${table}/${uuid}.${column}`);
      expect(lines.toSorted()).toEqual((expected.get(target) ?? []).toSorted());
    }
  }
}

/** A reader that loses its connection now and then, and meets servers of several ages. */
export class RestlessReader {
  readonly reader: TruthReader;
  readonly #proxy: MessageProxy;
  readonly #random: Random;

  private constructor(reader: TruthReader, proxy: MessageProxy, random: Random) {
    this.reader = reader;
    this.#proxy = proxy;
    this.#random = random;
  }

  static async open(serverPath: string, random: Random): Promise<RestlessReader> {
    const proxy = await startMessageProxy(serverPath);
    const reader = await TruthReader.open(proxy.endpoint, random);
    return new RestlessReader(reader, proxy, random);
  }

  /** Cuts the connection; the next server knows all ways to monitor, or only older ones. */
  disturb(): void {
    if (this.#random() < 0.5) return;
    const methods = ['monitor_cond_since', 'monitor_cond'];
    const unknown = new Set<unknown>(methods.slice(0, Math.floor(this.#random() * 3)));
    this.#proxy.toServer = (message, reply) => {
      if (!unknown.has(message['method'])) return message;
      reply({ id: message['id'], result: null, error: { error: 'unknown method', details: '' } });
      return undefined;
    };
    this.#proxy.cut();
  }

  async close(): Promise<void> {
    await this.reader.close();
    await this.#proxy.stop();
  }
}

/** Tables of which a part is wanted. */
export const SOME_COLUMNS: WantedTables = {
  Thing: [
    'one_string',
    'set_integer',
    'map_string_string',
    'map_uuid_integer',
    'parts',
    'best_friend',
    'mood',
  ],
  Part: ['next', 'wanted_by'],
  Named: 'all',
};

interface Rule {
  readonly condition: Condition;
  readonly holds: (row: Readonly<Record<string, ExactJson>>) => boolean;
}

/** Conditions with what they mean, for the reader that follows some rows. */
const RULES: readonly Rule[] = [
  { condition: ['one_integer', '>', 1], holds: (row) => (row['one_integer'] as bigint) > 1n },
  { condition: ['one_boolean', '==', true], holds: (row) => row['one_boolean'] === true },
  {
    condition: ['set_string', 'includes', ['set', ['a']]],
    holds: (row) => members(row['set_string']).includes('"a"'),
  },
  {
    condition: ['few_integer', 'excludes', ['set', [1]]],
    holds: (row) => !members(row['few_integer']).includes('1'),
  },
  { condition: ['color', '==', 'red'], holds: (row) => row['color'] === 'red' },
  {
    condition: ['maybe_integer', '!=', ['set', []]],
    holds: (row) => members(row['maybe_integer']).length > 0,
  },
];

/** Random rows of a table, and what they are by a look at each. */
export function someRows(random: Random): {
  readonly wanted: WantedTables;
  readonly among: (rows: TruthRows) => TruthRows;
} {
  const rules = RULES.filter(() => random() < 0.3);
  return {
    wanted: {
      Thing: {
        columns: ['one_string', 'set_string', 'map_integer_string', 'friends'],
        whereAny: rules.map(({ condition }) => condition),
      },
      Part: ['name'],
    },
    among: (rows) =>
      new Map(
        [...rows].filter(([key, row]) => !key.startsWith('Thing/') || rules.some(({ holds }) => holds(row))),
      ),
  };
}

function members(wire: ExactJson | undefined): readonly string[] {
  const atoms = Array.isArray(wire) && wire[0] === 'set' ? (wire[1] as readonly ExactJson[]) : [wire ?? null];
  return atoms.map(printExactly);
}

/** An index, and what it must find by a look at every row. */
interface WatchedIndex {
  check(): void;
}

const INDEXES: readonly (readonly [table: string, by: IndexBy, keysOf: (row: Row) => readonly Value[]])[] = [
  ['Thing', 'one_string', (row) => [row['one_string']]],
  ['Thing', 'maybe_integer', (row) => [row['maybe_integer']]],
  ['Thing', 'map_string_string:a', (row) => [(row['map_string_string'] as ReadonlyMap<Atom, Atom>).get('a')]],
  ['Thing', ['one_string', 'best_friend'], (row) => [row['one_string'], row['best_friend']]],
  ['Thing', countParts, (row) => [countParts(row)]],
  ['Named', 'name', (row) => [row['name']]],
  ['Named', ['row', 'place'], (row) => [row['row'], row['place']]],
];

function countParts(row: Row): number | undefined {
  return (row['parts'] as readonly Atom[] | undefined)?.length;
}

/** Those of the indexes whose columns the replica has. */
function watchIndexes(database: Database): readonly WatchedIndex[] {
  return INDEXES.flatMap(([table, by, keysOf]) => {
    let index: RowIndex;
    try {
      index = database.index(table, by);
    } catch {
      return [];
    }
    return [{ check: () => checkIndex(index, database.rows(table), keysOf) }];
  });
}

function checkIndex(
  index: RowIndex,
  rows: ReadonlyMap<string, Row>,
  keysOf: (row: Row) => readonly Value[],
): void {
  const expected = new Map<string, { readonly keys: readonly Atom[]; readonly found: Set<Row> }>();
  for (const row of rows.values()) {
    const keys = keysOf(row);
    if (keys.includes(undefined)) continue;
    const name = (keys as readonly Atom[]).map((key) => `${typeof key} ${key}`).join('\0');
    const group = expected.get(name) ?? { keys: keys as readonly Atom[], found: new Set() };
    expected.set(name, group);
    group.found.add(row);
  }
  for (const { keys, found } of expected.values()) {
    expect(new Set(index.all(...keys))).toEqual(found);
    expect(found.has(index.get(...keys) as Row)).toBe(true);
  }
  expect(index.all('nowhere', 'to be found')).toEqual([]);
}

function columnsOf(wanted: WantedTables): Columns {
  return Object.fromEntries(
    Object.entries(wanted).map(([table, rows]): [string, readonly string[]] => {
      const names = typeof rows === 'object' && 'columns' in rows ? (rows.columns ?? 'all') : (rows as 'all');
      return [table, names === 'all' ? Object.keys(TRUTH_TABLES[table]?.columns ?? {}) : names];
    }),
  );
}

function rowsOf(database: Database, columns: Columns | undefined): ReadonlyMap<string, Row> {
  const rows = new Map<string, Row>();
  for (const table of Object.keys(columns ?? TRUTH_TABLES)) {
    for (const [uuid, row] of database.rows(table)) rows.set(`${table}/${uuid}`, row);
  }
  return rows;
}

/** Rows of which the other side holds another object. */
function strangers(copy: ReadonlyMap<string, Row>, rows: ReadonlyMap<string, Row>): readonly string[] {
  return [...new Set([...copy.keys(), ...rows.keys()])].filter((key) => copy.get(key) !== rows.get(key));
}

/** The uuids in each column of a row, once each. */
function referencesOf(
  key: string,
  row: Row,
): readonly (readonly [column: string, targets: ReadonlySet<string>])[] {
  const columns = Object.entries(TRUTH_TABLES[key.slice(0, key.indexOf('/'))]?.columns ?? {});
  return columns.flatMap(([name, column]) => {
    const value = row[name];
    if (value === undefined || (column.key !== 'uuid' && column.value !== 'uuid')) return [];
    if (!(value instanceof Map))
      return [[name, new Set((isSet(value) ? value : [value]) as readonly string[])]];
    const keys = column.key === 'uuid' ? [...value.keys()] : [];
    const values = column.value === 'uuid' ? [...value.values()] : [];
    return [[name, new Set([...keys, ...values] as readonly string[])]];
  });
}
