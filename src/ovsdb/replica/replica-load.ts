import { invariant } from '../../lib/invariant.ts';
import type { UpdateReader } from '../protocol/update-reader.ts';
import { type Atom, ProtocolError, type Row, type Uuid } from '../protocol/value.ts';
import type { References } from './references.ts';
import type { RowChange } from './row-change.ts';
import type { ReplicaIndex } from './row-index.ts';
import { type RowShape, shapeOf } from './row-shape.ts';
import { UuidGroups } from './uuid-groups.ts';
import { UuidPool } from './uuid-pool.ts';

export interface ReplicaLoadOptions {
  readonly shapes: ReadonlyMap<string, RowShape>;
  /** What the replica holds while the copy is being taken in. */
  readonly current: ReadonlyMap<string, ReadonlyMap<Uuid, Row>>;
  /** There was no copy before: nothing is a change. */
  readonly isFirst: boolean;
  /** Changes whenever `current` does. */
  readonly version: number;
  readonly indexes: readonly ReplicaIndex[];
  /** Empty; undefined when nobody wants to know referrers. */
  readonly references: References | undefined;
  readonly maxRows: number;
}

/**
 * A complete copy in the making. Everything that the replica will need is made row by row as the copy arrives, so that
 * the event loop stays free; what is left for the end is to swap maps.
 */
export class ReplicaLoad {
  readonly #options: ReplicaLoadOptions;
  readonly #tables: ReadonlyMap<string, Map<Uuid, Row>>;
  readonly #groups: ReadonlyMap<ReplicaIndex, UuidGroups<Atom>>;
  readonly #uuids = new UuidPool();
  readonly #changes: RowChange[] = [];
  #count = 0;
  /** How many rows of the copy the replica has, equal or not. */
  #met = 0;

  constructor(options: ReplicaLoadOptions) {
    this.#options = options;
    this.#tables = new Map([...options.shapes.keys()].map((table) => [table, new Map<Uuid, Row>()]));
    this.#groups = new Map(options.indexes.map((index) => [index, new UuidGroups<Atom>()]));
  }

  get references(): References | undefined {
    return this.#options.references;
  }

  /** Takes in rows until the reader pauses. @throws ProtocolError when they do not fit the schema or are too many. */
  add(reader: UpdateReader): void {
    const { shapes, maxRows } = this.#options;
    while (reader.nextRow()) {
      const { table } = reader;
      if (++this.#count > maxRows) throw new ProtocolError(`the database has more than ${maxRows} rows`);
      const row = this.#read(shapeOf(shapes, table), reader);
      const rows = this.rows(table);
      if (rows.has(row._uuid)) throw new ProtocolError(`${table} ${row._uuid} is there twice`);
      rows.set(row._uuid, row);
      this.references?.apply({ table, uuid: row._uuid, before: undefined, after: row });
      for (const [index, groups] of this.#groups) if (index.table === table) index.addTo(groups, row);
    }
  }

  rows(table: string): Map<Uuid, Row> {
    const rows = this.#tables.get(table);
    invariant(rows !== undefined, `table ${table} is not in the replica`);
    return rows;
  }

  /** What an index finds in the copy; undefined for one that was made later. */
  groups(index: ReplicaIndex): UuidGroups<Atom> | undefined {
    return this.#groups.get(index);
  }

  /** How the copy differs from what the replica holds, which is at `version` by now. */
  changes(version: number): readonly RowChange[] {
    if (version !== this.#options.version) this.#compareAll();
    let left = -this.#met;
    for (const rows of this.#options.current.values()) left += rows.size;
    if (left === 0) return this.#changes;
    for (const [table, rows] of this.#options.current) {
      const loaded = this.rows(table);
      for (const [uuid, before] of rows) {
        if (!loaded.has(uuid)) this.#changes.push({ table, uuid, before, after: undefined });
      }
    }
    return this.#changes;
  }

  /** The row of a complete copy: a lone `initial`, `insert` or `new`. */
  #read(shape: RowShape, reader: UpdateReader): Row {
    const { table } = reader;
    const uuid = shape.uuidOf(reader, this.#uuids);
    reader.enter();
    if (!reader.nextMember() || !WHOLE.has(reader.text())) {
      throw new ProtocolError(`${table} ${uuid} has no content`);
    }
    const row = shape.create(uuid, reader, this.#uuids);
    if (reader.nextMember()) throw new ProtocolError(`${table} ${uuid} has more than its content`);
    return this.#options.isFirst ? row : this.#compared(shape, row);
  }

  /** The row that the replica has, if it is equal; otherwise the other one, and a change. */
  #compared(shape: RowShape, row: Row): Row {
    const { table } = shape;
    const before = this.#options.current.get(table)?.get(row._uuid);
    if (before !== undefined) this.#met++;
    if (before !== undefined && shape.equal(before, row)) return before;
    this.#changes.push({ table, uuid: before?._uuid ?? row._uuid, before, after: row });
    return row;
  }

  /** Compares anew with a replica that has changed since the copy came in. */
  #compareAll(): void {
    this.#changes.length = 0;
    this.#met = 0;
    for (const [table, rows] of this.#tables) {
      const shape = shapeOf(this.#options.shapes, table);
      for (const [uuid, row] of rows) rows.set(uuid, this.#compared(shape, row));
    }
  }
}

const WHOLE: ReadonlySet<string> = new Set(['initial', 'insert', 'new']);
