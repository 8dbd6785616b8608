import type { AtomicType } from '../../src/ovsdb/index.ts';
import type { ExactJson } from '../fuzz/exact-json.ts';

/** A column as the tests know it, beside how the client under test reads the schema. */
export interface TruthColumn {
  readonly key: AtomicType;
  readonly value?: AtomicType;
  readonly min: 0 | 1;
  readonly max: number;
  readonly refTable?: string;
  readonly refType?: 'strong' | 'weak';
  /** The reference is the value of the map, not the key. */
  readonly isValueReference?: boolean;
  /** Further members of the key's type, e.g. `maxInteger`. */
  readonly bounds?: Readonly<Record<string, ExactJson>>;
  readonly isImmutable?: boolean;
  readonly isEphemeral?: boolean;
}

export interface TruthTable {
  readonly isRoot: boolean;
  readonly columns: Readonly<Record<string, TruthColumn>>;
  readonly indexes?: readonly (readonly string[])[];
  readonly maxRows?: number;
}

const TYPES: readonly AtomicType[] = ['integer', 'real', 'boolean', 'string', 'uuid'];

const ANY = Infinity;

/** A database with a column of each type in each form. */
export const TRUTH_TABLES: Readonly<Record<string, TruthTable>> = {
  Thing: {
    isRoot: true,
    columns: {
      ...plainColumns(),
      level: { key: 'integer', min: 1, max: 1, bounds: { minInteger: 0n, maxInteger: 10n } },
      share: { key: 'real', min: 0, max: 1, bounds: { minReal: 0.25, maxReal: 0.75 } },
      tag: { key: 'string', min: 0, max: 1, bounds: { minLength: 1n, maxLength: 5n } },
      color: { key: 'string', min: 0, max: 1, bounds: { enum: ['set', ['red', 'green']] } },
      colors: { key: 'string', min: 0, max: ANY, bounds: { enum: ['set', ['red', 'green', '']] } },
      prime: { key: 'integer', min: 0, max: 1, bounds: { enum: ['set', [2n, 3n, 9007199254740993n]] } },
      birth: { key: 'string', min: 0, max: 1, isImmutable: true },
      mood: { key: 'string', min: 0, max: ANY, isEphemeral: true },
      parts: { key: 'uuid', min: 0, max: ANY, refTable: 'Part' },
      main_part: { key: 'uuid', min: 0, max: 1, refTable: 'Part' },
      part_by_name: {
        key: 'string',
        value: 'uuid',
        min: 0,
        max: ANY,
        refTable: 'Part',
        isValueReference: true,
      },
      name_of_part: { key: 'uuid', value: 'string', min: 0, max: ANY, refTable: 'Part' },
      friends: { key: 'uuid', min: 0, max: ANY, refTable: 'Thing', refType: 'weak' },
      best_friend: { key: 'uuid', min: 0, max: 1, refTable: 'Thing', refType: 'weak' },
      friend_by_number: {
        key: 'integer',
        value: 'uuid',
        min: 0,
        max: ANY,
        refTable: 'Thing',
        refType: 'weak',
        isValueReference: true,
      },
      weight_of_friend: { key: 'uuid', value: 'real', min: 0, max: ANY, refTable: 'Thing', refType: 'weak' },
    },
  },
  Part: {
    isRoot: false,
    columns: {
      name: { key: 'string', min: 1, max: 1 },
      next: { key: 'uuid', min: 0, max: 1, refTable: 'Part' },
      leaves: { key: 'uuid', min: 0, max: ANY, refTable: 'Leaf' },
      wanted_by: { key: 'uuid', min: 0, max: ANY, refTable: 'Thing', refType: 'weak' },
    },
  },
  Leaf: {
    isRoot: false,
    columns: {
      size: { key: 'integer', min: 1, max: 1 },
      labels: { key: 'string', value: 'string', min: 0, max: ANY },
    },
  },
  Named: {
    isRoot: true,
    indexes: [['name'], ['row', 'place']],
    columns: {
      name: { key: 'string', min: 1, max: 1, isImmutable: true },
      row: { key: 'integer', min: 1, max: 1 },
      place: { key: 'string', min: 1, max: 1 },
      note: { key: 'string', min: 0, max: 1 },
    },
  },
  Single: { isRoot: true, maxRows: 2, columns: { text: { key: 'string', min: 1, max: 1 } } },
};

/** The schema (RFC 7047 3.2) as JSON. */
export function truthSchema(): ExactJson {
  const tables = Object.entries(TRUTH_TABLES).map(([name, { isRoot, columns, indexes, maxRows }]) => [
    name,
    {
      ...(isRoot && { isRoot }),
      ...(indexes && { indexes }),
      ...(maxRows !== undefined && { maxRows: BigInt(maxRows) }),
      columns: Object.fromEntries(
        Object.entries(columns).map(([column, type]) => [column, columnJson(type)]),
      ),
    },
  ]);
  return { name: 'Truth', version: '1.0.0', tables: Object.fromEntries(tables) as ExactJson };
}

/** One and optional atoms, sets without limit, of a few and of at least one, and maps of each type to each. */
function plainColumns(): Readonly<Record<string, TruthColumn>> {
  const columns: Record<string, TruthColumn> = {};
  for (const key of TYPES) {
    columns[`one_${key}`] = { key, min: 1, max: 1 };
    columns[`maybe_${key}`] = { key, min: 0, max: 1 };
    columns[`set_${key}`] = { key, min: 0, max: ANY };
    columns[`few_${key}`] = { key, min: 0, max: 3 };
    columns[`some_${key}`] = { key, min: 1, max: ANY };
    columns[`pair_${key}`] = { key, value: key, min: 0, max: 1 };
    for (const value of TYPES) columns[`map_${key}_${value}`] = { key, value, min: 0, max: ANY };
  }
  return columns;
}

function columnJson(column: TruthColumn): ExactJson {
  const { key, value, min, max, refTable, refType, isValueReference } = column;
  const reference = refTable === undefined ? {} : { refTable, ...(refType && { refType }) };
  const keyJson = { type: key, ...column.bounds, ...(isValueReference === true ? {} : reference) };
  return {
    type: {
      key: keyJson,
      ...(value && { value: { type: value, ...(isValueReference === true ? reference : {}) } }),
      min: BigInt(min),
      max: max === ANY ? 'unlimited' : BigInt(max),
    },
    ...(column.isImmutable === true && { mutable: false }),
    ...(column.isEphemeral === true && { ephemeral: true }),
  };
}
