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

  constructor(owner: string, rows: LiveRows, references: References) {
    this.#owner = owner;
    this.#rows = rows;
    this.#references = references;
  }

  /**
   * Takes in changes and says which units they concern: those of our rows, and those of our rows that join or leave the
   * set of another row.
   */
  apply(changes: readonly LiveChange[]): ReadonlySet<UnitName> {
    const units = new Set<UnitName>();
    for (const change of changes) {
      if (change.before !== undefined) this.#drop(change, change.before, units);
      if (change.after !== undefined) this.#add(change, change.after, units);
    }
    // Looked up when all changes are in: a row that came or went speaks for itself.
    for (const change of changes) this.#noteMembers(change, units);
    return units;
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
    let total = 0;
    for (const rows of this.#byKey.values()) total += rows.length;
    return total;
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
  #noteMembers(change: LiveChange, units: Set<UnitName>): void {
    for (const [column, table] of this.#references.get(change.table) ?? []) {
      const before = members(change.before?.[column]);
      const after = members(change.after?.[column]);
      if (before.length === 0 && after.length === 0) continue;
      const [old, current] = [new Set(before), new Set(after)];
      for (const uuid of [
        ...before.filter((one) => !current.has(one)),
        ...after.filter((one) => !old.has(one)),
      ]) {
        const unit = this.identity(table, uuid)?.unit;
        if (unit !== undefined) units.add(unit);
      }
    }
  }

  #add(change: LiveChange, columns: LiveColumns, units: Set<UnitName>): void {
    const identity = identityOf(columns, this.#owner);
    if (identity === undefined) return;
    units.add(identity.unit);
    const row = { table: change.table, uuid: change.uuid, columns };
    this.#byKey.set(identity.key, [...this.withKey(identity.key), row]);
    const keys = this.#byUnit.get(identity.unit) ?? new Set<RowKey>();
    this.#byUnit.set(identity.unit, keys.add(identity.key));
  }

  #drop(change: LiveChange, columns: LiveColumns, units: Set<UnitName>): void {
    const identity = identityOf(columns, this.#owner);
    if (identity === undefined) return;
    units.add(identity.unit);
    const left = this.withKey(identity.key).filter(
      (row) => row.uuid !== change.uuid || row.table !== change.table,
    );
    if (left.length > 0) {
      this.#byKey.set(identity.key, left);
      return;
    }
    this.#byKey.delete(identity.key);
    const keys = this.#byUnit.get(identity.unit);
    keys?.delete(identity.key);
    if (keys?.size === 0) this.#byUnit.delete(identity.unit);
  }
}

function members(value: LiveValue): readonly string[] {
  if (value === undefined || value instanceof Map) return [];
  return Array.isArray(value) ? (value as readonly string[]) : [value as string];
}
