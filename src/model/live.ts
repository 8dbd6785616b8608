import type { RowKey, UnitName } from './nb.ts';
import { MARK } from './marks.ts';

/** A column's value as the replica holds it: sets are sorted arrays, maps are Maps, an empty optional is undefined. */
export type LiveValue = LiveAtom | undefined | readonly LiveAtom[] | ReadonlyMap<LiveAtom, LiveAtom>;
export type LiveAtom = string | boolean | number | bigint;

/** The columns of a row in the database. */
export interface LiveColumns {
  readonly _uuid: string;
  readonly [column: string]: LiveValue;
}

/** A row in the database. */
export interface LiveRow {
  readonly table: string;
  readonly uuid: string;
  readonly columns: LiveColumns;
}

/** A column of another row that holds a row. */
export interface Holder {
  readonly table: string;
  readonly uuid: string;
  readonly column: string;
}

/** What planning reads of the live Northbound. */
export interface LiveNb {
  /** Our rows with this key: normally none or one. */
  withKey(key: RowKey): readonly LiveRow[];
  /** The keys of our rows of one unit. */
  keysOf(unit: UnitName): Iterable<RowKey>;
  row(table: string, uuid: string): LiveRow | undefined;
  /** Key and unit of a row, if it is ours. */
  identity(table: string, uuid: string): { readonly key: RowKey; readonly unit: UnitName } | undefined;
  /** Who refers to a row. */
  holders(uuid: string): readonly Holder[];
}

/** A Northbound without a single row. */
export const EMPTY_LIVE: LiveNb = {
  withKey: () => [],
  keysOf: () => [],
  row: () => undefined,
  identity: () => undefined,
  holders: () => [],
};

/** Key and unit of a row that carries the marks of `owner`. */
export function identityOf(
  columns: LiveColumns,
  owner: string,
): { readonly key: RowKey; readonly unit: UnitName } | undefined {
  const ids = columns['external_ids'];
  if (!(ids instanceof Map) || ids.get(MARK.owner) !== owner) return undefined;
  const key: unknown = ids.get(MARK.key);
  const unit: unknown = ids.get(MARK.unit);
  if (typeof key !== 'string' || typeof unit !== 'string') return undefined;
  return { key: key as RowKey, unit: unit as UnitName };
}
