import type { RowKey, UnitName } from '../model/nb.ts';
import type { Holder, LiveColumns, LiveNb, LiveRow, LiveValue } from '../model/live.ts';
import { identityOf } from '../model/live.ts';

/** A changed row: before, after, or both. */
export interface LiveChange {
  readonly table: string;
  readonly uuid: string;
  readonly before: LiveColumns | undefined;
  readonly after: LiveColumns | undefined;
}

/** The replica that the index stands on. */
export interface LiveRows {
  row(table: string, uuid: string): LiveColumns | undefined;
  referrers(uuid: string): readonly Holder[];
}

/** Columns that refer to rows: table -> column -> table of the rows. */
export type References = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Finds our rows by key and unit; kept up to date change by change, so that its cost follows the change. */
export class LiveIndex implements LiveNb {
  readonly #owner: string;
  readonly #rows: LiveRows;
  readonly #byKey = new Map<RowKey, LiveRow[]>();
  readonly #byUnit = new Map<UnitName, Set<RowKey>>();
  readonly #references: References;
  readonly #listeners = new Set<(key: RowKey | undefined) => void>();
  #size = 0;

  constructor(owner: string, rows: LiveRows, references: References) {
    this.#owner = owner;
    this.#rows = rows;
    this.#references = references;
  }

  /**
   * Takes in changes, tells the listeners which rows may compare differently now, and says which units they concern: those of our rows, and those of our rows that join or leave the
   * set of another row.
   */
  apply(changes: readonly LiveChange[]): ReadonlySet<UnitName> {
    const touched: Touched = { units: new Set(), keys: [] };
    for (const change of changes) {
      if (identityOf(change.after ?? change.before ?? NO_COLUMNS, this.#owner) === undefined)
        touched.keys.push(undefined);
      if (change.before !== undefined) this.#drop(change, change.before, touched);
      if (change.after !== undefined) this.#add(change, change.after, touched);
    }
    // Looked up when all changes are in: a row that came or went speaks for itself.
    for (const change of changes) {
      this.#noteMembers(change, touched);
      this.#noteRenamed(change, touched);
    }
    for (const listener of this.#listeners) for (const key of touched.keys) listener(key);
    return touched.units;
  }

  onTouch(listener: (key: RowKey | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  withKey(key: RowKey): readonly LiveRow[] {
    return this.#byKey.get(key) ?? [];
  }

  keysOf(unit: UnitName): Iterable<RowKey> {
    return this.#byUnit.get(unit) ?? [];
  }

  /** The units that have rows in the database. */
  units(): Iterable<UnitName> {
    return this.#byUnit.keys();
  }

  /** How many rows are ours. */
  get size(): number {
    return this.#size;
  }

  row(table: string, uuid: string): LiveRow | undefined {
    const columns = this.#rows.row(table, uuid);
    return columns === undefined ? undefined : { table, uuid, columns };
  }

  identity(table: string, uuid: string): { readonly key: RowKey; readonly unit: UnitName } | undefined {
    const columns = this.#rows.row(table, uuid);
    return columns === undefined ? undefined : identityOf(columns, this.#owner);
  }

  holders(uuid: string): readonly Holder[] {
    return this.#rows.referrers(uuid);
  }

  /** A row of ours that joins or leaves a set has changed its place, whoever holds the set and though the row is the same. */
  #noteMembers(change: LiveChange, touched: Touched): void {
    const { before, after } = change;
    for (const [column, table] of this.#references.get(change.table) ?? []) {
      if (before?.[column] === after?.[column]) continue;
      for (const uuid of moved(members(before?.[column]), members(after?.[column]))) {
        this.#note(table, uuid, touched);
      }
    }
  }

  /** References are compared by the keys of the rows: a row that gets another one changes all that refer to it, and its children. */
  #noteRenamed(change: LiveChange, touched: Touched): void {
    if (change.before === undefined || change.after === undefined) return;
    if (identityOf(change.before, this.#owner)?.key === identityOf(change.after, this.#owner)?.key) return;
    touched.keys.push(undefined);
    for (const holder of this.holders(change.uuid)) this.#note(holder.table, holder.uuid, touched);
    for (const [column, table] of this.#references.get(change.table) ?? []) {
      for (const uuid of members(change.after[column])) this.#note(table, uuid, touched);
    }
  }

  #note(table: string, uuid: string, touched: Touched): void {
    const identity = this.identity(table, uuid);
    if (identity === undefined) return;
    touched.units.add(identity.unit);
    touched.keys.push(identity.key);
  }

  #add(change: LiveChange, columns: LiveColumns, touched: Touched): void {
    const identity = identityOf(columns, this.#owner);
    if (identity === undefined) return;
    const { key, unit } = identity;
    touched.units.add(unit);
    touched.keys.push(key);
    const row = { table: change.table, uuid: change.uuid, columns };
    const known = this.#byKey.get(key);
    this.#byKey.set(key, known === undefined ? [row] : [...known, row]);
    this.#size += 1;
    const keys = this.#byUnit.get(unit);
    if (keys === undefined) this.#byUnit.set(unit, new Set([key]));
    else keys.add(key);
  }

  #drop(change: LiveChange, columns: LiveColumns, touched: Touched): void {
    const identity = identityOf(columns, this.#owner);
    if (identity === undefined) return;
    const { key, unit } = identity;
    touched.units.add(unit);
    touched.keys.push(key);
    const known = this.withKey(key);
    const left = known.filter((row) => row.uuid !== change.uuid || row.table !== change.table);
    this.#size -= known.length - left.length;
    if (left.length > 0) {
      this.#byKey.set(key, left);
      return;
    }
    this.#byKey.delete(key);
    const keys = this.#byUnit.get(unit);
    keys?.delete(key);
    if (keys?.size === 0) this.#byUnit.delete(unit);
  }
}

const NO_COLUMNS: LiveColumns = { _uuid: '' };

/** What a change concerns. A key may come twice; undefined stands for rows that are not ours, or not as they were. */
interface Touched {
  readonly units: Set<UnitName>;
  readonly keys: (RowKey | undefined)[];
}

/** The members that only one of two sets has. A large set that changes by a few members costs those few. */
function moved(before: readonly string[], after: readonly string[]): readonly string[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const old = new Set(before.slice(start, before.length - end));
  const next = new Set(after.slice(start, after.length - end));
  return [...[...old].filter((one) => !next.has(one)), ...[...next].filter((one) => !old.has(one))];
}

function members(value: LiveValue): readonly string[] {
  if (value === undefined || value instanceof Map) return [];
  return Array.isArray(value) ? (value as readonly string[]) : [value as string];
}
