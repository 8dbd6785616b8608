import type { ColumnSchema } from '../protocol/schema.ts';
import { type Atom, type Row, type Uuid, type Value, isSet } from '../protocol/value.ts';
import type { RowChange } from './row-change.ts';

/** A column of a row that names another row. */
export interface Referrer {
  readonly table: string;
  readonly uuid: Uuid;
  readonly column: string;
}

/** For each row that is referred to: who does. */
export class References {
  readonly #columns: ReadonlyMap<string, readonly ColumnSchema[]>;
  readonly #referrers = new Map<Uuid, Referrer[]>();

  constructor(tables: ReadonlyMap<string, ReadonlyMap<string, ColumnSchema>>) {
    this.#columns = new Map(
      [...tables].map(([table, columns]) => [table, [...columns.values()].filter(isReference)]),
    );
  }

  of(uuid: Uuid): readonly Referrer[] {
    return this.#referrers.get(uuid) ?? [];
  }

  apply({ table, uuid, before, after }: RowChange): void {
    for (const column of this.#columns.get(table) ?? []) {
      const { name } = column;
      if (before !== undefined && after !== undefined && before[name] === after[name]) continue;
      const gone = targets(column, before);
      const present = targets(column, after);
      for (const target of gone) if (!present.has(target)) this.#remove(target, uuid, name);
      for (const target of present) if (!gone.has(target)) this.#add(target, { table, uuid, column: name });
    }
  }

  #add(target: Uuid, referrer: Referrer): void {
    const known = this.#referrers.get(target);
    if (known === undefined) this.#referrers.set(target, [referrer]);
    else known.push(referrer);
  }

  #remove(target: Uuid, uuid: Uuid, column: string): void {
    const rest = this.of(target).filter((referrer) => referrer.uuid !== uuid || referrer.column !== column);
    if (rest.length === 0) this.#referrers.delete(target);
    else this.#referrers.set(target, rest);
  }
}

function isReference(column: ColumnSchema): boolean {
  return column.key.type === 'uuid' || column.value?.type === 'uuid';
}

function targets(column: ColumnSchema, row: Row | undefined): ReadonlySet<Uuid> {
  const value: Value = row?.[column.name];
  if (value === undefined) return EMPTY;
  if (isSet(value)) return new Set(value as readonly Uuid[]);
  if (typeof value !== 'object') return new Set([value as Uuid]);
  const found: Atom[] = [];
  if (column.key.type === 'uuid') found.push(...value.keys());
  if (column.value?.type === 'uuid') found.push(...value.values());
  return new Set(found as Uuid[]);
}

const EMPTY: ReadonlySet<Uuid> = new Set();
