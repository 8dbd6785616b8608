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
      const after = this.#read(shape, uuid, before, reader);
      this.changes.push({ table, uuid, before, after });
    }
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
        reader.value();
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
