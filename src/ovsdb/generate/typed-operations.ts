import { invariant } from '../../lib/invariant.ts';
import { encodeValue } from '../protocol/notation.ts';
import type { Condition, ConditionFunction, Mutation, Operation } from '../protocol/operation.ts';
import type { BaseType, ColumnSchema, DatabaseSchema, TableSchema } from '../protocol/schema.ts';
import {
  type Atom,
  isSet,
  isUuid,
  type Value,
  type WireAtom,
  type WireRow,
  type WireValue,
} from '../protocol/value.ts';
import type { RowName, RowUuid, TablesLike } from './typed.ts';

/** `[column, function, value]`, all of which must hold. */
export type TypedCondition<Row> = {
  readonly [Column in keyof Row]-?: readonly [column: Column, test: ConditionFunction, value: Row[Column]];
}[keyof Row];

/** `[column, mutator, value]`: arithmetic on numbers, members of sets, pairs (or, to delete, keys) of maps. */
export type TypedMutation<Row> = {
  readonly [Column in Exclude<keyof Row, '_uuid'>]-?: MutationOf<Column, NonNullable<Row[Column]>>;
}[Exclude<keyof Row, '_uuid'>];

type MutationOf<Column, Value> =
  Value extends ReadonlyMap<infer Key, unknown>
    ? | readonly [column: Column, mutator: 'insert', pairs: Value]
      | readonly [column: Column, mutator: 'delete', pairsOrKeys: Value | readonly Key[]]
    : Value extends readonly (infer Member)[]
      ? readonly [column: Column, mutator: 'insert' | 'delete', members: readonly (Member | NameOf<Member>)[]]
      : Value extends number | bigint
        ? readonly [column: Column, mutator: '+=' | '-=' | '*=' | '/=' | '%=', value: Value]
        : never;

/** Where a uuid may stand, the name of a row of the same transaction may stand, too. */
type NameOf<Member> = Member extends RowUuid<infer Table> ? RowName<Table> : never;

type Columns<Row> = Partial<Omit<Row, '_uuid'>>;
type RowOf<Tables extends TablesLike<Tables>, Name extends keyof Tables> = Tables[Name]['row'];

/** Writes operations for `transact` out of values as rows hold them: sets as arrays, maps as Maps. */
export class TypedOperations<Tables extends TablesLike<Tables>> {
  readonly #schema: DatabaseSchema;

  constructor(schema: DatabaseSchema) {
    this.#schema = schema;
  }

  /** A new row; `name` lets other operations of the transaction refer to it, `uuid` chooses its identity. */
  insert<Name extends keyof Tables & string>(
    table: Name,
    row: Tables[Name]['insert'],
    identity: { readonly name?: RowName<NoInfer<Name>>; readonly uuid?: RowUuid<NoInfer<Name>> } = {},
  ): Operation {
    const { name, uuid } = identity;
    return {
      op: 'insert',
      table,
      row: this.#row(table, row),
      ...(name === undefined ? {} : { 'uuid-name': name }),
      ...(uuid === undefined ? {} : { uuid }),
    };
  }

  update<Name extends keyof Tables & string>(
    table: Name,
    where: readonly TypedCondition<RowOf<Tables, Name>>[],
    row: Columns<RowOf<Tables, Name>>,
  ): Operation {
    return { op: 'update', table, where: this.#where(table, where), row: this.#row(table, row) };
  }

  mutate<Name extends keyof Tables & string>(
    table: Name,
    where: readonly TypedCondition<RowOf<Tables, Name>>[],
    mutations: readonly TypedMutation<RowOf<Tables, Name>>[],
  ): Operation {
    const schema = this.#table(table);
    const encoded = (mutations as readonly LooseMutation[]).map(([name, mutator, value]): Mutation => {
      const column = columnOf(schema, name);
      const isKeys = column.kind === 'map' && isSet(value);
      return [name, mutator, encode(isKeys ? { ...column, kind: 'set', value: undefined } : column, value)];
    });
    return { op: 'mutate', table, where: this.#where(table, where), mutations: encoded };
  }

  delete<Name extends keyof Tables & string>(
    table: Name,
    where: readonly TypedCondition<RowOf<Tables, Name>>[],
  ): Operation {
    return { op: 'delete', table, where: this.#where(table, where) };
  }

  select<Name extends keyof Tables & string>(
    table: Name,
    where: readonly TypedCondition<RowOf<Tables, Name>>[],
    columns?: readonly (keyof RowOf<Tables, Name> & string)[],
  ): Operation {
    return {
      op: 'select',
      table,
      where: this.#where(table, where),
      ...(columns === undefined ? {} : { columns }),
    };
  }

  /** A guard: the rows that `where` finds have (`==`) or have not (`!=`) these values, at once or within `timeout` ms. */
  wait<Name extends keyof Tables & string, Column extends keyof RowOf<Tables, Name> & string>(
    table: Name,
    where: readonly TypedCondition<RowOf<Tables, Name>>[],
    columns: readonly Column[],
    until: '==' | '!=',
    rows: readonly Pick<RowOf<Tables, Name>, Column>[],
    timeout: number = 0,
  ): Operation {
    const encoded = rows.map((row) => this.#row(table, row));
    return { op: 'wait', timeout, table, where: this.#where(table, where), columns, until, rows: encoded };
  }

  #where(table: string, conditions: readonly unknown[]): readonly Condition[] {
    const schema = this.#table(table);
    return (conditions as readonly LooseCondition[]).map(([name, test, value]) => [
      name,
      test,
      name === '_uuid' ? ['uuid', String(value as Atom)] : encode(columnOf(schema, name), value),
    ]);
  }

  #row(table: string, row: object): WireRow {
    const schema = this.#table(table);
    return Object.fromEntries(
      Object.entries(row as Readonly<Record<string, Value>>).map(([name, value]) => [
        name,
        name === '_uuid' ? ['uuid', String(value as Atom)] : encode(columnOf(schema, name), value),
      ]),
    );
  }

  #table(name: string): TableSchema {
    const table = this.#schema.tables.get(name);
    invariant(table !== undefined, `the schema has no table ${name}`);
    return table;
  }
}

/** A name for a row that a transaction inserts: `[a-zA-Z_][a-zA-Z0-9_]*`, so that it is never taken for a uuid. */
export function rowName<Table extends string>(name: string): RowName<Table> {
  invariant(/^[A-Za-z_][A-Za-z0-9_]*$/.test(name), `"${name}" cannot name a row`);
  return name as RowName<Table>;
}

type LooseMutation = readonly [name: string, mutator: Mutation[1], value: Value];
type LooseCondition = readonly [name: string, test: ConditionFunction, value: Value];

function columnOf(table: TableSchema, name: string): ColumnSchema {
  const column = table.columns.get(name);
  invariant(column !== undefined, `table ${table.name} has no column ${name}`);
  return column;
}

/** As `encodeValue`, and names of rows where the column holds uuids. */
function encode(column: ColumnSchema, value: Value): WireValue {
  const { key, value: valueType } = column;
  if (key.type !== 'uuid' && valueType?.type !== 'uuid') return encodeValue(column, value);
  if (value instanceof Map) {
    const pairs = [...(value as ReadonlyMap<Atom, Atom>)];
    return ['map', pairs.map(([k, v]) => [reference(key, k), reference(valueType ?? key, v)])];
  }
  if (isSet(value)) return ['set', value.map((atom) => reference(key, atom))];
  return value === undefined ? ['set', []] : reference(key, value as Atom);
}

function reference({ type }: BaseType, atom: Atom): WireAtom {
  if (type !== 'uuid') return atom;
  return isUuid(String(atom)) ? ['uuid', String(atom)] : ['named-uuid', String(atom)];
}
