import { invariant } from '../../lib/invariant.ts';
import type { RowUpdate, TableUpdates } from '../protocol/message.ts';
import type { ColumnSchema, DatabaseSchema } from '../protocol/schema.ts';
import { ProtocolError, type Row, type Uuid, equalValues } from '../protocol/value.ts';
import { type Referrer, References } from './references.ts';
import type { RowChange } from './row-change.ts';
import { RowShape } from './row-shape.ts';

/** Which columns of which tables are kept. */
export type Selection = ReadonlyMap<string, readonly string[]>;

type Tables = Map<string, Map<Uuid, Row>>;

/** A copy of the selected part of a database that follows the server's updates. */
export class Replica {
  readonly schema: DatabaseSchema;
  readonly #shapes: ReadonlyMap<string, RowShape>;
  readonly #tables: Tables;
  #references: References | undefined;
  #isComplete = false;

  constructor(schema: DatabaseSchema, selection: Selection) {
    this.schema = schema;
    this.#shapes = new Map(
      [...selection].map(([name, columns]) => {
        const table = schema.tables.get(name);
        invariant(table !== undefined, `the schema has no table ${name}`);
        return [name, new RowShape(table, columns)];
      }),
    );
    this.#tables = new Map([...selection.keys()].map((table) => [table, new Map()]));
  }

  rows(table: string): ReadonlyMap<Uuid, Row> {
    const rows = this.#tables.get(table);
    invariant(rows !== undefined, `table ${table} is not in the replica`);
    return rows;
  }

  /** Who refers to a row. The index is built at the first call and follows every change from then on. */
  referrers(uuid: Uuid): readonly Referrer[] {
    this.#references ??= this.#indexReferences();
    return this.#references.of(uuid);
  }

  /** Takes over the rows of a replica with another schema. Returns those of tables that are not there any more. */
  inherit(previous: Replica): readonly RowChange[] {
    const dropped: RowChange[] = [];
    this.#isComplete = previous.#isComplete;
    for (const [table, rows] of previous.#tables) {
      const shape = this.#shapes.get(table);
      for (const [uuid, row] of rows) {
        if (shape === undefined) dropped.push({ table, uuid, before: row, after: undefined });
        else this.#tables.get(table)?.set(uuid, shape.reshape(row));
      }
    }
    return dropped;
  }

  /** Starts to take in a complete copy, part by part, while this one stays as it is. */
  load(): ReplicaLoad {
    return new ReplicaLoad(this.#shapes);
  }

  /**
   * Becomes the complete copy. Returns what differed; equal rows are no change and stay the same objects. The first
   * copy is taken as it is and differs from nothing.
   */
  replaceWith(load: ReplicaLoad): readonly RowChange[] {
    if (!this.#isComplete) {
      this.#isComplete = true;
      for (const table of this.#tables.keys()) this.#tables.set(table, load.take(table));
      return [];
    }
    const changes = this.#differences(load);
    this.commit(changes);
    return changes;
  }

  #differences(load: ReplicaLoad): readonly RowChange[] {
    const changes: RowChange[] = [];
    for (const [table, rows] of this.#tables) {
      const loaded = load.take(table);
      const columns = columnsOf(this.#shapes, table);
      for (const [uuid, after] of loaded) {
        const before = rows.get(uuid);
        if (before !== undefined && equalRows(columns, before, after)) continue;
        changes.push({ table, uuid, before, after });
      }
      for (const [uuid, before] of rows) {
        if (!loaded.has(uuid)) changes.push({ table, uuid, before, after: undefined });
      }
    }
    return changes;
  }

  /**
   * Reads the updates of one transaction. Nothing is changed yet, so that a bad update leaves the replica whole.
   *
   * @throws ProtocolError when the updates do not fit the replica: then only a complete copy helps.
   */
  stage(parts: readonly TableUpdates[]): readonly RowChange[] {
    const changes: RowChange[] = [];
    for (const part of parts) {
      for (const [table, updates] of Object.entries(part)) {
        const shape = shapeOf(this.#shapes, table);
        const rows = this.#tables.get(table);
        for (const [uuid, update] of Object.entries(updates)) {
          const before = rows?.get(uuid as Uuid);
          const after = updatedRow(shape, uuid as Uuid, before, update);
          if (before === undefined && after === undefined) continue;
          changes.push({ table, uuid: uuid as Uuid, before, after });
        }
      }
    }
    return changes;
  }

  /** Makes staged changes true. */
  commit(changes: readonly RowChange[]): void {
    for (const change of changes) {
      const rows = this.#tables.get(change.table);
      invariant(rows !== undefined, `table ${change.table} is not in the replica`);
      if (change.after === undefined) rows.delete(change.uuid);
      else rows.set(change.uuid, change.after);
      this.#references?.apply(change);
    }
  }

  #indexReferences(): References {
    const columns = new Map([...this.#shapes].map(([table, shape]) => [table, shape.columns]));
    const references = new References(columns);
    for (const [table, rows] of this.#tables) {
      for (const [uuid, after] of rows) references.apply({ table, uuid, before: undefined, after });
    }
    return references;
  }
}

/** A complete copy in the making: the parts of a first monitor reply. */
export class ReplicaLoad {
  readonly #shapes: ReadonlyMap<string, RowShape>;
  readonly #tables: Tables = new Map();
  readonly #uuids = new Map<string, string>();

  constructor(shapes: ReadonlyMap<string, RowShape>) {
    this.#shapes = shapes;
  }

  /** Takes in a part. @throws ProtocolError when it does not fit the schema. */
  add(part: TableUpdates): void {
    for (const [table, updates] of Object.entries(part)) {
      const shape = shapeOf(this.#shapes, table);
      let rows = this.#tables.get(table);
      if (rows === undefined) this.#tables.set(table, (rows = new Map()));
      for (const uuid in updates) {
        const { initial, insert, new: whole } = updates[uuid] as RowUpdate;
        const columns = initial ?? insert ?? whole;
        if (columns === undefined || columns === null)
          throw new ProtocolError(`${table} ${uuid} has no content`);
        const row = shape.create(this.#internUuid(uuid) as Uuid, columns, this.#internUuid);
        rows.set(row._uuid, row);
      }
    }
  }

  /** The rows of a table, for the replica to keep. */
  take(table: string): Map<Uuid, Row> {
    return this.#tables.get(table) ?? new Map<Uuid, Row>();
  }

  readonly #internUuid = (uuid: string): string => {
    const known = this.#uuids.get(uuid);
    if (known !== undefined) return known;
    this.#uuids.set(uuid, uuid);
    return uuid;
  };
}

/** One row after an update of any version: RFC 7047 4.1.6, ovsdb-server(7) 4.1.14. */
function updatedRow(
  shape: RowShape,
  uuid: Uuid,
  before: Row | undefined,
  update: RowUpdate,
): Row | undefined {
  const { initial, insert, modify, old } = update;
  const added = initial ?? insert;
  if (added !== undefined && added !== null) {
    if (before !== undefined) throw new ProtocolError(`${shape.table} ${uuid} was inserted twice`);
    return shape.create(uuid, added);
  }
  if (modify !== undefined && modify !== null) {
    if (before === undefined) throw new ProtocolError(`${shape.table} ${uuid} was changed but is not known`);
    return shape.modify(before, modify);
  }
  // The first version of the protocol repeats every column of a row that is there after the update.
  const whole = update['new'];
  if (whole !== undefined && whole !== null) {
    if ((before === undefined) !== (old === undefined)) {
      throw new ProtocolError(`${shape.table} ${uuid} is not in the state that an update starts from`);
    }
    return shape.create(before?._uuid ?? uuid, whole);
  }
  if (before === undefined || !('delete' in update || 'old' in update)) {
    throw new ProtocolError(`${shape.table} ${uuid} was deleted but is not known`);
  }
  return undefined;
}

function equalRows(columns: ReadonlyMap<string, ColumnSchema>, a: Row, b: Row): boolean {
  for (const name of columns.keys()) {
    if (!equalValues(a[name], b[name])) return false;
  }
  return true;
}

function columnsOf(shapes: ReadonlyMap<string, RowShape>, table: string): ReadonlyMap<string, ColumnSchema> {
  return shapeOf(shapes, table).columns;
}

function shapeOf(shapes: ReadonlyMap<string, RowShape>, table: string): RowShape {
  const shape = shapes.get(table);
  if (shape === undefined) throw new ProtocolError(`table ${table} was not asked for`);
  return shape;
}
