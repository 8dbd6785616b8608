import { invariant } from '../../lib/invariant.ts';
import type { ColumnSchema, TableSchema } from '../protocol/schema.ts';
import { type UpdateReader, hashOf } from '../protocol/update-reader.ts';
import { ProtocolError, type Row, type Uuid, type Value, equalValues } from '../protocol/value.ts';
import { applyDifference } from './difference.ts';
import { ColumnReader } from './column-reader.ts';
import { UUID_LENGTH, type UuidPool } from './uuid-pool.ts';
import type { ValueCache } from './value-cache.ts';

/** Reads the rows of one table. All have the same columns in the same order, so that the engine gives them one shape. */
export class RowShape {
  readonly table: string;
  readonly columns: ReadonlyMap<string, ColumnSchema>;
  readonly #template: Row;
  readonly #copy: Copy;
  /** By the hash of the column's name, so that no text is made of the names in each row. */
  readonly #readers: ReadonlyMap<number, ColumnReader>;

  /** `cacheOf` gives the cache that columns of one type share. */
  constructor(
    table: TableSchema,
    columnNames: readonly string[],
    cacheOf: (column: ColumnSchema) => ValueCache,
  ) {
    this.table = table.name;
    this.columns = new Map(columnNames.map((name) => [name, columnOf(table, name)]));
    this.#readers = new Map(
      [...this.columns].map(([name, column]) => [hashOf(name), new ColumnReader(column, cacheOf(column))]),
    );
    // An object that comes out of JSON.parse has a fast shape whatever the number of its members; copies keep it. Each
    // column holds values of several types once, so that the engine does not bet on one and make the shape anew.
    const blank = JSON.parse(
      JSON.stringify(Object.fromEntries([['_uuid', ''], ...columnNames.map((c) => [c, 0])])),
    );
    for (const value of [0, '', undefined, NO_ATOMS]) for (const name of columnNames) blank[name] = value;
    for (const [name, column] of this.columns) blank[name] = column.defaultValue;
    this.#template = blank as Row;
    this.#copy = COPIES[shapeCount++ % COPIES.length] as Copy;
  }

  /** The uuid that is the reader's span. */
  uuidOf(reader: UpdateReader, uuids: UuidPool): Uuid {
    const { bytes, from, to } = reader;
    const uuid = to - from === UUID_LENGTH ? uuids.share(bytes, from, this.table) : undefined;
    return uuid ?? (reader.text() as Uuid);
  }

  /** A new row: columns that are left out have their default (ovsdb-server(7) 4.1.14). */
  create(uuid: Uuid, reader: UpdateReader, uuids: UuidPool): Row {
    const row = this.#copy(this.#template);
    row['_uuid'] = uuid;
    reader.enter();
    while (reader.nextMember()) {
      const values = this.#readerOf(reader);
      row[values.column.name] = values.read(reader, uuids);
    }
    return row as Row;
  }

  /** A changed copy, by differences as update2 and update3 write them. */
  modify(before: Row, reader: UpdateReader, uuids: UuidPool): Row {
    const row = this.#copy(before);
    reader.enter();
    while (reader.nextMember()) {
      const values = this.#readerOf(reader);
      const { name } = values.column;
      row[name] = applyDifference(values.column, before[name], values.read(reader, uuids));
    }
    return row as Row;
  }

  /** A row of another shape, cut to this one; columns that it lacks get their default. */
  reshape(other: Row): Row {
    const row = this.#copy(this.#template);
    row['_uuid'] = other._uuid;
    for (const name of this.columns.keys()) if (Object.hasOwn(other, name)) row[name] = other[name];
    return row as Row;
  }

  /** Whether two rows of this shape have the same columns. */
  equal(a: Row, b: Row): boolean {
    for (const name of this.columns.keys()) {
      if (!equalValues(a[name], b[name])) return false;
    }
    return true;
  }

  /** Who reads the column whose name is the reader's span. */
  #readerOf(reader: UpdateReader): ColumnReader {
    const values = this.#readers.get(reader.hash);
    if (values !== undefined && reader.spells(values.column.name)) return values;
    throw new ProtocolError(`${this.table}.${reader.text()} was not asked for`);
  }
}

type Copy = (row: Row) => Record<string, Value>;

/**
 * The engine copies an object in one go only at a place in the code that has met at most four shapes. Elsewhere a copy
 * takes several times longer and 10 % more memory for ever, so tables are spread over places that all do the same.
 */
const COPIES: readonly Copy[] = [
  (row) => ({ ...row }),
  (row) => ({ ...row }),
  (row) => ({ ...row }),
  (row) => ({ ...row }),
  (row) => ({ ...row }),
  (row) => ({ ...row }),
  (row) => ({ ...row }),
  (row) => ({ ...row }),
  (row) => ({ ...row }),
  (row) => ({ ...row }),
  (row) => ({ ...row }),
  (row) => ({ ...row }),
];
let shapeCount = 0;
const NO_ATOMS: Value = [];

/** The shape of a table that the server speaks of. @throws ProtocolError when it was not asked for. */
export function shapeOf(shapes: ReadonlyMap<string, RowShape>, table: string): RowShape {
  const shape = shapes.get(table);
  if (shape === undefined) throw new ProtocolError(`table ${table} was not asked for`);
  return shape;
}

function columnOf(table: TableSchema, name: string): ColumnSchema {
  const column = table.columns.get(name);
  invariant(column !== undefined, `table ${table.name} has no column ${name}`);
  return column;
}
