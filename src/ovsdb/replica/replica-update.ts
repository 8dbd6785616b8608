import type { UpdateReader } from '../protocol/update-reader.ts';
import { ProtocolError, type Row, type Uuid } from '../protocol/value.ts';
import type { RowChange } from './row-change.ts';
import { type RowShape, shapeOf } from './row-shape.ts';
import type { UuidPool } from './uuid-pool.ts';

/** The changes of one transaction in the making. */
export class ReplicaUpdate {
  readonly #shapes: ReadonlyMap<string, RowShape>;
  readonly #tables: ReadonlyMap<string, ReadonlyMap<Uuid, Row>>;
  readonly #uuids: UuidPool;
  /** The rows that were met, by table: no server speaks of one twice. */
  readonly #met = new Map<string, Set<Uuid>>();
  readonly changes: RowChange[] = [];

  constructor(
    shapes: ReadonlyMap<string, RowShape>,
    tables: ReadonlyMap<string, ReadonlyMap<Uuid, Row>>,
    uuids: UuidPool,
  ) {
    this.#shapes = shapes;
    this.#tables = tables;
    this.#uuids = uuids;
  }

  /**
   * Takes in rows until the reader pauses.
   *
   * @throws ProtocolError when they do not fit the replica: then only a complete copy helps.
   */
  add(reader: UpdateReader): void {
    while (reader.nextRow()) {
      const { table } = reader;
      const shape = shapeOf(this.#shapes, table);
      const name = shape.uuidOf(reader, this.#uuids);
      const before = this.#tables.get(table)?.get(name);
      const uuid = before?._uuid ?? name;
      if (!this.#meet(table, uuid)) throw new ProtocolError(`${table} ${uuid} is there twice`);
      const after = this.#read(shape, uuid, before, reader);
      this.changes.push({ table, uuid, before, after });
    }
  }

  /** False for a row that was met before. */
  #meet(table: string, uuid: Uuid): boolean {
    const met = this.#met.get(table) ?? new Set();
    this.#met.set(table, met);
    return met.size < met.add(uuid).size;
  }

  /** One row after an update of any version: RFC 7047 4.1.6, ovsdb-server(7) 4.1.14. */
  #read(shape: RowShape, uuid: Uuid, before: Row | undefined, reader: UpdateReader): Row | undefined {
    let after: Row | undefined;
    let wasThere = false;
    reader.enter();
    while (reader.nextMember()) {
      const member = reader.text();
      if (member === 'modify') {
        if (before === undefined) break;
        after = shape.modify(before, reader, this.#uuids);
      } else if (NEW_CONTENT.has(member) && reader.isObject) {
        after = shape.create(uuid, reader, this.#uuids);
      } else {
        // What is passed over is read nevertheless: a message that is broken there cannot be believed elsewhere.
        reader.value();
        if (reader.json() !== null && NEW_CONTENT.has(member)) {
          throw new ProtocolError(`${shape.table} ${uuid} has no columns`);
        }
      }
      if (FORMER_CONTENT.has(member)) wasThere = true;
    }
    if (before === undefined && after === undefined) {
      throw new ProtocolError(`${shape.table} ${uuid} was changed or deleted but is not known`);
    }
    if (wasThere === (before === undefined)) {
      throw new ProtocolError(`${shape.table} ${uuid} is not in the state that an update starts from`);
    }
    return after;
  }
}

const NEW_CONTENT: ReadonlySet<string> = new Set(['initial', 'insert', 'new']);
/** What only a row has that was there. In the first version of the protocol `old` stands beside `new`, or alone. */
const FORMER_CONTENT: ReadonlySet<string> = new Set(['modify', 'delete', 'old']);
