import type { ColumnSchema } from '../protocol/schema.ts';
import { type Atom, type Uuid, type Value, isSet, toSortedSet } from '../protocol/value.ts';
import type { RowChange } from './row-change.ts';
import { UuidGroups } from './uuid-groups.ts';

/** A column of a row that names another row. */
export interface Referrer {
  readonly table: string;
  readonly uuid: Uuid;
  readonly column: string;
}

/** For each row that is referred to: who does. */
export class References {
  readonly #columns: ReadonlyMap<string, readonly ReferenceColumn[]>;

  constructor(tables: ReadonlyMap<string, ReadonlyMap<string, ColumnSchema>>) {
    this.#columns = new Map(
      [...tables].map(([table, columns]) => [
        table,
        [...columns.values()].filter(isReference).map((column) => ({ column, referrers: new UuidGroups() })),
      ]),
    );
  }

  of(target: Uuid): readonly Referrer[] {
    const found: Referrer[] = [];
    for (const [table, columns] of this.#columns) {
      for (const { column, referrers } of columns) {
        if (referrers.isEmpty) continue;
        for (const uuid of referrers.of(target)) found.push({ table, uuid, column: column.name });
      }
    }
    return found;
  }

  apply({ table, uuid, before, after }: RowChange): void {
    for (const { column, referrers } of this.#columns.get(table) ?? []) {
      const was = before?.[column.name];
      const is = after?.[column.name];
      if (was !== is) regroup(targets(column, was), targets(column, is), uuid, referrers);
    }
  }
}

/** Per column, so that an entry need not say which one it means. */
interface ReferenceColumn {
  readonly column: ColumnSchema;
  readonly referrers: UuidGroups<Uuid>;
}

/** Both are sorted: one walk finds what differs, and what is the same is passed over by its identity. */
function regroup(
  before: readonly Uuid[],
  after: readonly Uuid[],
  referrer: Uuid,
  referrers: UuidGroups<Uuid>,
): void {
  let [was, is] = [0, 0];
  while (was < before.length || is < after.length) {
    const [gone, come] = [before[was], after[is]];
    if (gone === come) {
      was++;
      is++;
    } else if (come === undefined || (gone !== undefined && gone < come)) {
      referrers.remove(gone as Uuid, referrer);
      was++;
    } else {
      referrers.add(come, referrer);
      is++;
    }
  }
}

function isReference(column: ColumnSchema): boolean {
  return column.key.type === 'uuid' || column.value?.type === 'uuid';
}

function targets(column: ColumnSchema, value: Value): readonly Uuid[] {
  if (value === undefined) return NONE;
  if (isSet(value)) return value as readonly Uuid[];
  if (typeof value !== 'object') return [value as Uuid];
  const found: Atom[] = [];
  if (column.key.type === 'uuid') found.push(...value.keys());
  if (column.value?.type === 'uuid') found.push(...value.values());
  return toSortedSet(found) as readonly Uuid[];
}

const NONE: readonly Uuid[] = [];
