import { invariant } from '../../lib/invariant.ts';
import { type Intern, decodeValue } from '../protocol/notation.ts';
import type { ColumnSchema, TableSchema } from '../protocol/schema.ts';
import { type Atom, ProtocolError, type Row, type Uuid, type Value } from '../protocol/value.ts';
import { applyDifference } from './difference.ts';
import { SharedValues } from './shared-values.ts';

type WireColumns = Readonly<Record<string, unknown>>;

/** Builds the rows of one table. All have the same columns in the same order, so that the engine gives them one shape. */
export class RowShape {
  readonly table: string;
  readonly columns: ReadonlyMap<string, ColumnSchema>;
  readonly #shared: ReadonlyMap<string, SharedValues>;
  readonly #template: Row;

  constructor(table: TableSchema, columnNames: readonly string[]) {
    this.table = table.name;
    this.columns = new Map(columnNames.map((name) => [name, columnOf(table, name)]));
    this.#shared = new Map([...this.columns].map(([name, column]) => [name, new SharedValues(column)]));
    // An object that comes out of JSON.parse has a fast shape whatever the number of its members; copies keep it.
    const blank = JSON.parse(
      JSON.stringify(Object.fromEntries([['_uuid', ''], ...columnNames.map((c) => [c, 0])])),
    );
    for (const [name, column] of this.columns) blank[name] = column.defaultValue;
    this.#template = blank as Row;
  }

  /**
   * A new row: columns that `wire` leaves out have their default (ovsdb-server(7) 4.1.14). `internUuid` lets a row and
   * all that refer to it share one uuid.
   */
  create(uuid: Uuid, wire: WireColumns, internUuid: Intern = keep): Row {
    const row = { ...this.#template, _uuid: uuid } as Record<string, Value>;
    for (const name in wire) row[name] = this.#decode(this.#column(name), wire[name], internUuid);
    return row as Row;
  }

  /** A changed copy: `wire` holds differences as update2 and update3 write them. */
  modify(before: Row, wire: WireColumns): Row {
    const row = { ...before } as Record<string, Value>;
    for (const name in wire) {
      const column = this.#column(name);
      row[name] = applyDifference(column, before[name], this.#decode(column, wire[name], keep));
    }
    return row as Row;
  }

  /** A row of another shape, cut to this one; columns that it lacks get their default. */
  reshape(other: Row): Row {
    const row = { ...this.#template, _uuid: other._uuid } as Record<string, Value>;
    for (const name of this.columns.keys()) if (Object.hasOwn(other, name)) row[name] = other[name];
    return row as Row;
  }

  #decode(column: ColumnSchema, wire: unknown, internUuid: Intern): Value {
    const shared = this.#shared.get(column.name) as SharedValues;
    const value = decodeValue(column, wire, column.key.type === 'uuid' ? internUuid : shared.text);
    return column.kind === 'map' ? shared.map(value as ReadonlyMap<Atom, Atom>) : value;
  }

  #column(name: string): ColumnSchema {
    const column = this.columns.get(name);
    if (column === undefined) throw new ProtocolError(`${this.table}.${name} was not asked for`);
    return column;
  }
}

function columnOf(table: TableSchema, name: string): ColumnSchema {
  const column = table.columns.get(name);
  invariant(column !== undefined, `table ${table.name} has no column ${name}`);
  return column;
}

function keep(text: string): string {
  return text;
}
