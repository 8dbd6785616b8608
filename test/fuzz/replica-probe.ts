import { type Row, type RowChange, parseJson, parseSchema } from '../../src/ovsdb/index.ts';
import { Replica } from '../../src/ovsdb/replica/replica.ts';
import { selectTables } from '../../src/ovsdb/replica/selection.ts';
import type { DatabaseSchema } from '../../src/ovsdb/protocol/schema.ts';
import type { UpdateReader } from '../../src/ovsdb/protocol/update-reader.ts';
import { truthSchema } from '../ovsdb/truth-schema.ts';
import type { TruthRows } from '../ovsdb/truth-server.ts';
import { replicaTexts, textDifferences, truthTexts } from '../ovsdb/truth-text.ts';
import { printExactly } from './exact-json.ts';

export const SCHEMA: DatabaseSchema = readSchema();

/** A replica without a server, and the copy that its changes make. */
export class ReplicaProbe {
  readonly replica: Replica = new Replica(SCHEMA, selectTables(SCHEMA, undefined).selection);
  readonly #copy = new Map<string, Row>();

  constructor() {
    this.replica.referrers('' as Row['_uuid']);
  }

  /** Takes in a complete copy that is read `size` bytes at a time. */
  load(reader: UpdateReader, size: number = Infinity): void {
    const load = this.replica.load();
    inPieces(reader, size, () => {
      load.add(reader);
    });
    const isFirst = this.#copy.size === 0 && this.#count() === 0;
    this.#follow(this.replica.replaceWith(load));
    if (isFirst) for (const [key, row] of this.#rows()) this.#copy.set(key, row);
  }

  /** Takes in an update that is read `size` bytes at a time. */
  update(reader: UpdateReader, size: number = Infinity): void {
    const update = this.replica.update();
    inPieces(reader, size, () => {
      update.add(reader);
    });
    this.#follow(this.replica.commit(update));
  }

  /** What differs from what it should be; empty when nothing does. */
  faults(truth: TruthRows): readonly string[] {
    const strangers = [...this.#rows()].filter(([key, row]) => this.#copy.get(key) !== row);
    return [
      ...textDifferences(replicaTexts(this.replica), truthTexts(truth)),
      ...strangers.map(([key]) => `${key} was not reported`),
      ...(this.#copy.size === this.#count() ? [] : ['rows that are gone were not reported']),
    ];
  }

  #follow(changes: readonly RowChange[]): void {
    for (const { table, uuid, before, after } of changes) {
      const key = `${table}/${uuid}`;
      if (this.#copy.get(key) !== before) throw new Error(`${key} was not what the change starts from`);
      if (after === undefined) this.#copy.delete(key);
      else this.#copy.set(key, after);
    }
  }

  #rows(): ReadonlyMap<string, Row> {
    const tables = [...SCHEMA.tables.keys()];
    return new Map(
      tables.flatMap((table) =>
        [...this.replica.rows(table)].map(([uuid, row]) => [`${table}/${uuid}`, row]),
      ),
    );
  }

  #count(): number {
    return [...SCHEMA.tables.keys()].reduce((sum, table) => sum + this.replica.rows(table).size, 0);
  }
}

function inPieces(reader: UpdateReader, size: number, read: () => void): void {
  do {
    reader.pauseAfter(size);
    read();
  } while (reader.isPaused);
}

function readSchema(): DatabaseSchema {
  const schema = parseSchema(parseJson(printExactly(truthSchema())));
  if (!schema.ok) throw new Error(schema.error);
  return schema.value;
}
