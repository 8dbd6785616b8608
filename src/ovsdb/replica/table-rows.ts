import type { Row, Uuid } from '../protocol/value.ts';

type RowMap = ReadonlyMap<Uuid, Row>;

/** The rows of one table: a map that changes with the database, and that can be held fast as it is at one moment. */
export class TableRows implements RowMap {
  #rows = new Map<Uuid, Row>();
  #isHeld = false;

  /** The rows as they are now, for as long as anybody wants them: the next change is made to a copy. */
  hold(): RowMap {
    this.#isHeld = true;
    return this.#rows;
  }

  /** Takes over all rows of a map that nobody else writes to. */
  become(rows: Map<Uuid, Row>): void {
    this.#rows = rows;
    this.#isHeld = false;
  }

  put(row: Row): void {
    this.#writable().set(row._uuid, row);
  }

  remove(uuid: Uuid): void {
    this.#writable().delete(uuid);
  }

  get size(): number {
    return this.#rows.size;
  }

  get(uuid: Uuid): Row | undefined {
    return this.#rows.get(uuid);
  }

  has(uuid: Uuid): boolean {
    return this.#rows.has(uuid);
  }

  keys(): MapIterator<Uuid> {
    return this.#rows.keys();
  }

  values(): MapIterator<Row> {
    return this.#rows.values();
  }

  entries(): MapIterator<[Uuid, Row]> {
    return this.#rows.entries();
  }

  [Symbol.iterator](): MapIterator<[Uuid, Row]> {
    return this.#rows.entries();
  }

  forEach(callback: (row: Row, uuid: Uuid, rows: RowMap) => void): void {
    for (const [uuid, row] of this.#rows) callback(row, uuid, this);
  }

  #writable(): Map<Uuid, Row> {
    if (this.#isHeld) this.become(new Map(this.#rows));
    return this.#rows;
  }
}
