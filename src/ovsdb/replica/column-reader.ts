import { decodeValue } from '../protocol/notation.ts';
import type { ColumnSchema } from '../protocol/schema.ts';
import type { UpdateReader } from '../protocol/update-reader.ts';
import { type Uuid, type Value, toSortedSet } from '../protocol/value.ts';
import { UUID_LENGTH, type UuidPool } from './uuid-pool.ts';
import type { ValueCache } from './value-cache.ts';

/** Reads the values of one column so that what is equal is the same. */
export class ColumnReader {
  readonly column: ColumnSchema;
  readonly #cache: ValueCache;

  /** `cache` may serve other columns of the same type. */
  constructor(column: ColumnSchema, cache: ValueCache) {
    this.column = column;
    this.#cache = cache;
  }

  /** Reads the value that comes next. @throws ProtocolError when it does not fit the column. */
  read(reader: UpdateReader, uuids: UuidPool): Value {
    const { column } = this;
    reader.value();
    if (column.key.type !== 'uuid' || column.kind === 'map') {
      return this.#cache.share(reader, () => decodeValue(column, reader.json()));
    }
    const found = readUuids(reader, uuids, column.key.refTable ?? '');
    if (found !== undefined && column.kind === 'set') return toSortedSet(found);
    return found?.length === 1 ? found[0] : decodeValue(column, reader.json());
  }
}

/** Reads `["uuid",TEXT]` or `["set",[["uuid",TEXT],...]]`. Undefined when the span is written in another way. */
function readUuids(reader: UpdateReader, uuids: UuidPool, table: string): readonly Uuid[] | undefined {
  const { bytes, from, to } = reader;
  const isSet = to - from > ITEM_LENGTH && startsWith(bytes, from, SET_START);
  const end = isSet ? to - SET_END_LENGTH : to;
  const found: Uuid[] = [];
  for (let at = isSet ? from + SET_START.length : from; at < end; at += ITEM_LENGTH + 1) {
    if (at + ITEM_LENGTH > end || !startsWith(bytes, at, ITEM_START)) return undefined;
    if (!startsWith(bytes, at + ITEM_START.length + UUID_LENGTH, ITEM_END)) return undefined;
    const uuid = uuids.share(bytes, at + ITEM_START.length, table);
    if (uuid === undefined) return undefined;
    found.push(uuid);
  }
  // A copy is as long as it is; what was pushed to keeps room for more.
  return found.slice();
}

const SET_START = Buffer.from('["set",[');
const SET_END_LENGTH = ']]'.length;
const ITEM_START = Buffer.from('["uuid","');
const ITEM_END = Buffer.from('"]');
const ITEM_LENGTH = ITEM_START.length + UUID_LENGTH + ITEM_END.length;

function startsWith(bytes: Buffer, from: number, start: Buffer): boolean {
  for (let at = 0; at < start.length; at++) {
    if (bytes[from + at] !== start[at]) return false;
  }
  return true;
}
