import type { AtomicType } from '../../src/ovsdb/index.ts';
import { type ExactJson, printExactly } from '../fuzz/exact-json.ts';
import { TRUTH_TABLES, type TruthColumn } from './truth-schema.ts';

export type Random = () => number;

type Columns = Readonly<Record<string, TruthColumn>>;

/** The uuids that were there at the last look, by table: some are gone by now. */
export type KnownUuids = Readonly<Record<string, readonly string[]>>;

const ATOMS: Readonly<Record<AtomicType, readonly ExactJson[]>> = {
  integer: [
    0n,
    1n,
    -1n,
    2n,
    9n,
    10n,
    2n ** 53n - 1n,
    2n ** 53n + 1n,
    -(2n ** 53n) - 1n,
    2n ** 63n - 1n,
    -(2n ** 63n),
  ],
  real: [0n, 0.5, -1.25, 1e300, 3n, 0.25, -1e-300],
  boolean: [true, false],
  string: [
    '',
    'a',
    'b',
    'B',
    'ä',
    '€',
    '𝄞',
    '～',
    '"',
    '\\',
    '}{',
    '\u0001',
    'x'.repeat(300),
    '10.0.0.1',
    '1',
  ],
  uuid: ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-4fff-bfff-ffffffffffff'].map(uuidJson),
};
const NAMES = ['red', 'green', 'blue', ''];
/** Beyond it more goes than comes, so that the database keeps its size however long it runs. */
const MOST_THINGS = 60;

/** Draws transactions that mostly can be committed. */
export class TransactionSource {
  readonly #random: Random;
  known: KnownUuids = {};
  #inserts: ExactJson[] = [];
  #names = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): readonly ExactJson[] {
    this.#inserts = [];
    this.#names = 0;
    const operations: ExactJson[] = Array.from({ length: 1 + this.#below(4) }, () => this.#operation());
    if (this.#chance(0.02)) operations.push({ op: 'comment', comment: '"}' });
    if (this.#chance(0.02)) operations.push({ op: 'select', table: 'Thing', where: [] });
    if (this.#chance(0.02)) operations.push(this.#wait());
    if (this.#chance(0.03)) operations.push({ op: 'abort' });
    // Rows that the operations name may stand before or after them.
    return this.#chance(0.5) ? [...operations, ...this.#inserts] : [...this.#inserts, ...operations];
  }

  #operation(): ExactJson {
    const isFull = (this.known['Thing'] ?? []).length > MOST_THINGS;
    const dice = this.#random();
    if (dice < (isFull ? 0.05 : 0.25))
      return { op: 'insert', table: 'Thing', row: this.#row('Thing', 12, false) };
    if (dice < 0.37)
      return { op: 'delete', table: 'Thing', where: this.#where('Thing', isFull ? 0.1 : 0.01) };
    if (dice < 0.45) return this.#named();
    if (dice < 0.47) return { op: 'insert', table: 'Single', row: { text: this.#atom('string') } };
    if (dice < 0.49) return { op: 'delete', table: 'Single', where: [] };
    const table = this.#pick(['Thing', 'Thing', 'Thing', 'Thing', 'Part', 'Leaf']);
    const where = this.#where(table, 0.1);
    if (dice < 0.75) return { op: 'update', table, where, row: this.#row(table, 6, true) };
    const mutations = Array.from({ length: 1 + this.#below(3) }, () => this.#mutation(table));
    return { op: 'mutate', table, where, mutations };
  }

  #named(): ExactJson {
    const name = `n${this.#below(30)}`;
    const where = [['name', '==', name]];
    if (this.#chance(0.4)) return { op: 'delete', table: 'Named', where };
    const row = {
      row: BigInt(this.#below(6)),
      place: this.#pick(['a', 'b', 'c']),
      note: this.#atom('string'),
    };
    if (this.#chance(0.3)) return { op: 'update', table: 'Named', where, row };
    return { op: 'insert', table: 'Named', row: { ...row, name } };
  }

  /** Waits for what is so or for what will never be. */
  #wait(): ExactJson {
    const until = this.#pick(['==', '!=']);
    return {
      op: 'wait',
      timeout: 0n,
      table: 'Single',
      where: [],
      columns: ['text'],
      until,
      rows: [{ text: 'never' }],
    };
  }

  /** Mostly one row; now and then what a condition finds. */
  #where(table: string, wide: number): ExactJson {
    if (table === 'Thing' && this.#chance(wide)) {
      return [
        this.#pick<ExactJson>([
          ['one_integer', '==', this.#atom('integer')],
          ['one_integer', '>', 9007199254740992n],
          ['maybe_real', '<', 0n],
          ['set_string', 'includes', ['set', [this.#atom('string')]]],
          ['one_string', '==', this.#atom('string')],
          ['few_boolean', '==', ['set', [true, false]]],
        ]),
      ];
    }
    const uuid = this.#known(table);
    return uuid === undefined ? [['_uuid', '==', this.#atom('uuid')]] : [['_uuid', '==', uuidJson(uuid)]];
  }

  #row(table: string, most: number, isUpdate: boolean): ExactJson {
    const columns: Columns = TRUTH_TABLES[table]?.columns ?? {};
    const names = Object.keys(columns).filter((name) => !isUpdate || columns[name]?.isImmutable !== true);
    const chosen = new Set(Array.from({ length: this.#below(most + 1) }, () => this.#pick(names)));
    return Object.fromEntries([...chosen].map((name) => [name, this.#value(columns[name] as TruthColumn)]));
  }

  /** A value of a column; a few are more than the column may hold. */
  #value(column: TruthColumn): ExactJson {
    const most = column.max === Infinity ? 5 : column.max + Number(this.#chance(0.01));
    const count = Math.max(column.min, this.#below(most + 1));
    const keys = new Map<string, ExactJson>();
    for (let n = 0; n < count; n++) {
      const key = this.#member(column, column.key, column.isValueReference !== true);
      keys.set(printExactly(key), key);
    }
    const atoms = [...keys.values()];
    const { value } = column;
    if (value === undefined)
      return atoms.length === 1 && this.#chance(0.5) ? (atoms[0] as ExactJson) : ['set', atoms];
    return ['map', atoms.map((key) => [key, this.#member(column, value, column.isValueReference === true)])];
  }

  #member(column: TruthColumn, type: AtomicType, mayRefer: boolean): ExactJson {
    const { refTable, bounds } = column;
    if (refTable !== undefined && mayRefer) return this.#reference(refTable, column.refType !== 'weak');
    if (bounds !== undefined && type === column.key) return this.#bounded(type);
    return this.#atom(type);
  }

  /** Mostly within the bounds of the columns that have some. */
  #bounded(type: AtomicType): ExactJson {
    if (type === 'real')
      return this.#pick<ExactJson>([0.25, 0.5, 0.75, 0.75, ...(this.#chance(0.1) ? [1n] : [])]);
    if (type === 'integer')
      return this.#pick<ExactJson>([2n, 3n, ...(this.#chance(0.1) ? [9007199254740993n] : [])]);
    return this.#chance(0.95) ? this.#pick(['red', 'green']) : this.#pick(NAMES);
  }

  /** A strong reference is mostly to a row that the same transaction makes, or the row could be gone. */
  #reference(table: string, isStrong: boolean): ExactJson {
    const uuid = this.#known(table);
    if (!isStrong) return uuid === undefined ? this.#atom('uuid') : uuidJson(uuid);
    if (this.#chance(0.01)) return this.#atom('uuid');
    if (uuid !== undefined && this.#chance(0.15)) return uuidJson(uuid);
    const name = `new${this.#names++}`;
    // The longer the chain, the less likely it goes on.
    const row = this.#chance(0.6 ** this.#names) ? this.#row(table, 3, false) : {};
    this.#inserts.push({ op: 'insert', table, 'uuid-name': name, row });
    return ['named-uuid', name];
  }

  #mutation(table: string): ExactJson {
    const columns: Columns = TRUTH_TABLES[table]?.columns ?? {};
    const numbers = ['one', 'maybe', 'few', 'set'].flatMap((form) => [`${form}_integer`, `${form}_real`]);
    if (table === 'Thing' && this.#chance(0.3)) {
      const column = this.#pick([...numbers, 'level', 'share']);
      const argument = column.endsWith('integer') || column === 'level' ? this.#pick([1n, 2n, -1n, 3n]) : 0.5;
      return [column, this.#pick(['+=', '-=', '*=', '/=', ...(argument === 0.5 ? [] : ['%='])]), argument];
    }
    const several = Object.keys(columns).filter((name) => (columns[name]?.max ?? 1) > 1);
    const name = this.#pick(several.length === 0 ? Object.keys(columns) : several);
    const column = columns[name] as TruthColumn;
    if (this.#chance(0.6)) return [name, 'insert', this.#value(column)];
    // Pairs of a map are removed by their keys, or as pairs that must be equal.
    const { value: _, ...keysOnly } = column;
    const isByKey = column.value !== undefined && column.isValueReference !== true && this.#chance(0.5);
    return [name, 'delete', this.#value({ ...(isByKey ? keysOnly : column), min: 0 })];
  }

  #atom(type: AtomicType): ExactJson {
    if (type === 'uuid' && this.#chance(0.4)) {
      const uuid = this.#known(this.#pick(Object.keys(TRUTH_TABLES)));
      if (uuid !== undefined) return uuidJson(uuid);
    }
    return this.#pick(ATOMS[type]);
  }

  #known(table: string): string | undefined {
    const uuids = this.known[table] ?? [];
    return uuids.length === 0 ? undefined : this.#pick(uuids);
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#below(from.length)] as T;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }
}

function uuidJson(uuid: string): ExactJson {
  return ['uuid', uuid];
}
