import type { Atom, BaseType, ColumnSchema, Row, TableSchema, Uuid, Value } from '../../ovsdb/index.ts';
import { isSet } from '../../ovsdb/index.ts';
import type { Side } from './read-dump.ts';
import { rowLabel, shortUuid } from './row-label.ts';

/** What tells that a row here is that row there: its uuid, or the first of some keys that it has. */
export type Identity = 'uuid' | readonly IdentityKey[];

/** The columns of the first index of the schema, a column, or a key of a map. */
export type IdentityKey =
  { readonly kind: 'index' } | { readonly kind: 'column'; readonly column: string; readonly key?: string };

/** What both sides share, so that equal rows have equal tokens. */
export class TokenBook {
  readonly #contents = new Map<string, string>();
  readonly #labels = new Map<string, string>();

  /** A short token for a content of any length. */
  ofContent(content: string): string {
    let token = this.#contents.get(content);
    if (token === undefined) this.#contents.set(content, (token = `content ${this.#contents.size}`));
    return token;
  }

  /** Remembers what people call the row behind a token. */
  name(token: string, label: string): void {
    if (!this.#labels.has(token)) this.#labels.set(token, label);
  }

  labelOf(token: string): string | undefined {
    return this.#labels.get(token);
  }
}

/** Gives each row of a side a token that its counterpart on the other side has, too. */
export class RowTokens {
  readonly #side: Side;
  readonly #identity: Identity;
  readonly #book: TokenBook;
  /** The columns of a table that are compared. */
  readonly #columnsOf: (table: string) => readonly ColumnSchema[];
  readonly #isOnly: (table: string) => boolean;
  readonly #tokens = new Map<Uuid, string>();
  readonly #open = new Set<Uuid>();

  constructor(options: {
    readonly side: Side;
    readonly identity: Identity;
    readonly book: TokenBook;
    readonly columnsOf: (table: string) => readonly ColumnSchema[];
    /** Whether neither side has more than one row in a table, so that these are one and the same. */
    readonly isOnly: (table: string) => boolean;
  }) {
    this.#side = options.side;
    this.#identity = options.identity;
    this.#book = options.book;
    this.#columnsOf = options.columnsOf;
    this.#isOnly = options.isOnly;
  }

  /** The token of a row; a reference to a row that the side does not have keeps its uuid. */
  of(table: string, uuid: Uuid): string {
    const known = this.#tokens.get(uuid);
    if (known !== undefined) return known;
    const row = this.#side.rows(table).get(uuid);
    const schema = this.#side.schema.tables.get(table);
    if (row === undefined || schema === undefined) return uuid;
    // Rows that refer to each other in a circle and have no key: the circle is cut at where it was entered.
    if (this.#open.has(uuid)) return `circle of ${table}`;
    this.#open.add(uuid);
    const token = this.#identity === 'uuid' ? uuid : this.#tokenOf(schema, row, this.#identity);
    this.#open.delete(uuid);
    this.#tokens.set(uuid, token);
    this.#book.name(token, rowLabel(schema, row) ?? shortUuid(uuid));
    return token;
  }

  /** The row with tokens in place of references, and columns that its schema lacks at their default. */
  comparable(table: string, row: Row): Row {
    const values: Record<string, Value> & { _uuid: Uuid } = { _uuid: row._uuid };
    for (const column of this.#columnsOf(table)) {
      const value = column.name in row ? row[column.name] : column.defaultValue;
      values[column.name] = this.#identity === 'uuid' ? value : this.#withTokens(column, value);
    }
    return values;
  }

  #tokenOf(schema: TableSchema, row: Row, keys: readonly IdentityKey[]): string {
    for (const key of keys) {
      const value = this.#keyOf(schema, row, key);
      if (value !== undefined) return `${schema.name} ${value}`;
    }
    if (this.#isOnly(schema.name)) return `${schema.name} alone`;
    const content = this.comparable(schema.name, row);
    const texts = this.#columnsOf(schema.name).map(({ name }) => valueKey(content[name]));
    return this.#book.ofContent(`${schema.name}\u0002${texts.join('\u0002')}`);
  }

  #keyOf(schema: TableSchema, row: Row, key: IdentityKey): string | undefined {
    if (key.kind === 'index') {
      const index = schema.indexes[0];
      const columns = index?.map((name) => schema.columns.get(name)) ?? [];
      const parts = columns.map((column) =>
        column === undefined ? '' : valueKey(this.#withTokens(column, row[column.name])),
      );
      return parts.length === 0 ? undefined : `index ${parts.join('\u0002')}`;
    }
    const value = row[key.column];
    if (key.key === undefined) {
      const text = valueKey(value);
      return !schema.columns.has(key.column) || text === '' ? undefined : `${key.column} ${text}`;
    }
    const atom = value instanceof Map ? (value as ReadonlyMap<Atom, Atom>).get(key.key) : undefined;
    return atom === undefined ? undefined : `${key.column}:${key.key} ${String(atom)}`;
  }

  #withTokens({ key, value: valueType }: ColumnSchema, value: Value): Value {
    const isReference = key.refTable !== undefined || valueType?.refTable !== undefined;
    if (!isReference || value === undefined) return value;
    if (isSet(value)) return [...new Set(value.map((atom) => this.#token(key, atom)))].toSorted(compare);
    if (typeof value !== 'object') return this.#token(key, value);
    const pairs = [...value].map(
      ([k, v]) => [this.#token(key, k), valueType === undefined ? v : this.#token(valueType, v)] as const,
    );
    return new Map(pairs.toSorted(([a], [b]) => compare(a, b)));
  }

  #token({ refTable }: BaseType, atom: Atom): Atom {
    return refTable === undefined ? atom : this.of(refTable, atom as Uuid);
  }
}

/** A text that two values have only when they are equal. */
function valueKey(value: Value): string {
  if (value === undefined) return '';
  if (isSet(value)) return value.map(String).join('\u0001');
  if (typeof value !== 'object') return String(value);
  const pairs = [...value].map(([k, v]) => `${String(k)}\u0000${String(v)}`);
  return pairs.toSorted(compare).join('\u0001');
}

function compare(a: Atom, b: Atom): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
