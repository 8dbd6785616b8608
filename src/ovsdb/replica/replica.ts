import { invariant } from '../../lib/invariant.ts';
import type { ColumnSchema, DatabaseSchema } from '../protocol/schema.ts';
import { ProtocolError, type Row, type Uuid } from '../protocol/value.ts';
import { type Referrer, References } from './references.ts';
import { ReplicaLoad } from './replica-load.ts';
import { ReplicaUpdate } from './replica-update.ts';
import type { RowChange } from './row-change.ts';
import { type IndexBy, ReplicaIndex, type RowIndex } from './row-index.ts';
import { RowShape, shapeOf } from './row-shape.ts';
import { TableRows } from './table-rows.ts';
import { UuidPool } from './uuid-pool.ts';
import { ValueCache } from './value-cache.ts';

/** Which columns of which tables are kept. */
export type Selection = ReadonlyMap<string, readonly string[]>;

/** A replica as it was at one moment. */
export interface Snapshot {
  rows(table: string): ReadonlyMap<Uuid, Row>;
}

/** A copy of the selected part of a database that follows the server's updates. */
export class Replica {
  readonly schema: DatabaseSchema;
  readonly #shapes: ReadonlyMap<string, RowShape>;
  readonly #tables: ReadonlyMap<string, TableRows>;
  readonly #uuids = new UuidPool((table, uuid) => this.#tables.get(table)?.get(uuid)?._uuid);
  readonly #indexes: ReplicaIndex[] = [];
  readonly #maxRows: number;
  #references: References | undefined;
  #isComplete = false;
  /** Tells a load whether the replica is still what it was compared with. */
  #version = 0;

  /** More than `maxRows` rows are refused. */
  constructor(schema: DatabaseSchema, selection: Selection, maxRows: number = Infinity) {
    const caches = new Map<string, ValueCache>();
    const cacheOf = (column: ColumnSchema): ValueCache => {
      const type = `${column.kind} ${column.key.type} ${column.value?.type} ${column.min}`;
      const cache = caches.get(type) ?? new ValueCache();
      caches.set(type, cache);
      return cache;
    };
    this.schema = schema;
    this.#maxRows = maxRows;
    this.#shapes = new Map(
      [...selection].map(([name, columns]) => {
        const table = schema.tables.get(name);
        invariant(table !== undefined, `the schema has no table ${name}`);
        return [name, new RowShape(table, columns, cacheOf)];
      }),
    );
    this.#tables = new Map([...selection.keys()].map((table) => [table, new TableRows()]));
  }

  /** The rows of a table: a live map. */
  rows(table: string): ReadonlyMap<Uuid, Row> {
    return this.#table(table);
  }

  /** The replica as it is now, whatever comes. Rows never change, so a table is copied only if it changes afterwards. */
  snapshot(): Snapshot {
    const held = new Map([...this.#tables].map(([table, rows]) => [table, rows.hold()]));
    return {
      rows: (table) => {
        const rows = held.get(table);
        invariant(rows !== undefined, `table ${table} is not in the replica`);
        return rows;
      },
    };
  }

  /** Who refers to a row. The index is built at the first call and follows every change from then on. */
  referrers(uuid: Uuid): readonly Referrer[] {
    this.#references ??= this.#indexReferences();
    return this.#references.of(uuid);
  }

  /** An index that follows every change from now on. @throws when the table or a column is not in the replica. */
  index(table: string, by: IndexBy): RowIndex {
    const index = new ReplicaIndex(table, by);
    const canFollow = index.follow(this.#table(table), shapeOf(this.#shapes, table).columns);
    invariant(canFollow, `table ${table} has no single text or number ${String(by)} to find rows by`);
    this.#indexes.push(index);
    return index;
  }

  /** Takes over the rows of a replica with another schema. Returns those of tables that are not there any more. */
  inherit(previous: Replica): readonly RowChange[] {
    const dropped: RowChange[] = [];
    this.#isComplete = previous.#isComplete;
    this.#version++;
    for (const [table, rows] of previous.#tables) {
      const shape = this.#shapes.get(table);
      for (const [uuid, row] of rows) {
        if (shape === undefined) dropped.push({ table, uuid, before: row, after: undefined });
        else this.#tables.get(table)?.put(shape.reshape(row));
      }
    }
    for (const index of previous.#indexes) {
      this.#follow(index);
      this.#indexes.push(index);
    }
    if (previous.#references !== undefined) this.#references = this.#indexReferences();
    return dropped;
  }

  /** Starts to take in a complete copy, while this one stays as it is. */
  load(): ReplicaLoad {
    return new ReplicaLoad({
      shapes: this.#shapes,
      current: this.#tables,
      isFirst: !this.#isComplete,
      version: this.#version,
      indexes: this.#indexes,
      references: this.#references && this.#emptyReferences(),
      maxRows: this.#maxRows,
    });
  }

  /**
   * Becomes the complete copy, at a cost that does not depend on its size. Returns what differed; equal rows are no change
   * and stay the same objects. The first copy is taken as it is and differs from nothing.
   */
  replaceWith(load: ReplicaLoad): readonly RowChange[] {
    const changes = this.#isComplete ? load.changes(this.#version) : [];
    this.#isComplete = true;
    this.#version++;
    for (const [table, rows] of this.#tables) rows.become(load.rows(table));
    for (const index of this.#indexes) {
      const groups = load.groups(index);
      if (groups === undefined) this.#follow(index);
      else index.become(groups);
    }
    this.#references = load.references ?? (this.#references && this.#indexReferences());
    return changes;
  }

  /** Starts to read the updates of one transaction. Nothing is changed yet, so that a bad update leaves the replica whole. */
  update(): ReplicaUpdate {
    return new ReplicaUpdate(this.#shapes, this.#tables, this.#uuids);
  }

  /** Makes an update true, and returns what it changed. @throws ProtocolError when there would be too many rows. */
  commit({ changes }: ReplicaUpdate): readonly RowChange[] {
    this.#uuids.clear();
    this.#checkSize(changes);
    this.#version++;
    for (const change of changes) {
      const rows = this.#table(change.table);
      if (change.after === undefined) rows.remove(change.uuid);
      else rows.put(change.after);
      this.#references?.apply(change);
      for (const index of this.#indexes) if (index.table === change.table) index.apply(change);
    }
    return changes;
  }

  #checkSize(changes: readonly RowChange[]): void {
    if (this.#maxRows === Infinity) return;
    let size = 0;
    for (const rows of this.#tables.values()) size += rows.size;
    for (const { before, after } of changes)
      size += Number(after !== undefined) - Number(before !== undefined);
    if (size > this.#maxRows) throw new ProtocolError(`the database has more than ${this.#maxRows} rows`);
  }

  #table(table: string): TableRows {
    const rows = this.#tables.get(table);
    invariant(rows !== undefined, `table ${table} is not in the replica`);
    return rows;
  }

  #indexReferences(): References {
    const references = this.#emptyReferences();
    for (const [table, rows] of this.#tables) {
      for (const [uuid, after] of rows) references.apply({ table, uuid, before: undefined, after });
    }
    return references;
  }

  #emptyReferences(): References {
    return new References(new Map([...this.#shapes].map(([table, shape]) => [table, shape.columns])));
  }

  /** After a change of the schema an index may find nothing. */
  #follow(index: ReplicaIndex): void {
    index.follow(
      this.#tables.get(index.table) ?? NO_ROWS,
      this.#shapes.get(index.table)?.columns ?? NO_COLUMNS,
    );
  }
}

const NO_ROWS: ReadonlyMap<Uuid, Row> = new Map();
const NO_COLUMNS: ReadonlyMap<string, ColumnSchema> = new Map();
