import { groupBy } from '../lib/group.ts';
import { invariant } from '../lib/invariant.ts';
import { compareText } from '../lib/order.ts';
import { VersionedMap } from '../lib/versioned-map.ts';
import type { NbRow, NbState, RowKey, UnitName } from '../model/nb.ts';
import { changedRows } from './changed-rows.ts';

/** The desired rows of a revision, looked up the ways planning needs. */
export interface DesiredNb {
  readonly state: NbState;
  row(key: RowKey): NbRow | undefined;
  /** The rows of a unit in canonical order; the same list in each revision that does not change the unit. */
  rowsOf(unit: UnitName): readonly NbRow[];
  /** All units in canonical order. */
  readonly units: readonly UnitName[];
  /** The units that are not the same in both revisions, or undefined when they have no history in common. */
  changedSince(other: DesiredNb): ReadonlySet<UnitName> | undefined;
}

/** Indexes a desired state by unit. */
export function indexDesired(state: NbState): DesiredNb {
  return new DesiredRows().with(groupBy(state.rows.values(), (row) => row.unit));
}

/** Desired rows from which those of the next revision are made at the cost of what has changed. */
export class DesiredRows implements DesiredNb {
  readonly units: readonly UnitName[];
  readonly #rows: VersionedMap<RowKey, NbRow>;
  readonly #byUnit: VersionedMap<UnitName, readonly NbRow[]>;
  #state: NbState | undefined;

  constructor(
    units: readonly UnitName[] = [],
    rows: VersionedMap<RowKey, NbRow> = new VersionedMap(),
    byUnit: VersionedMap<UnitName, readonly NbRow[]> = new VersionedMap(),
  ) {
    this.units = units;
    this.#rows = rows;
    this.#byUnit = byUnit;
  }

  /** Made when it is asked for: who plans looks rows up. */
  get state(): NbState {
    this.#state ??= { rows: new Map([...this.#rows].toSorted(([a], [b]) => compareText(a, b))) };
    return this.#state;
  }

  row(key: RowKey): NbRow | undefined {
    return this.#rows.get(key);
  }

  rowsOf(unit: UnitName): readonly NbRow[] {
    return this.#byUnit.get(unit) ?? NO_ROWS;
  }

  changedSince(other: DesiredNb): ReadonlySet<UnitName> | undefined {
    return other instanceof DesiredRows ? this.#byUnit.changedSince(other.#byUnit) : undefined;
  }

  /** The rows of a revision in which some units have other rows, or none any more. Rows come in canonical order. */
  with(changes: ReadonlyMap<UnitName, readonly NbRow[]>): DesiredRows {
    const rows = new Map<RowKey, NbRow | undefined>();
    const come: NbRow[] = [];
    for (const [unit, after] of changes) {
      const changed = changedRows(this.rowsOf(unit), after);
      for (const { key } of changed.gone) rows.set(key, undefined);
      come.push(...changed.come);
    }
    for (const row of come) {
      const other = rows.has(row.key) ? rows.get(row.key) : this.#rows.get(row.key);
      if (other !== undefined) invariant(false, `two rows with the identity ${row.key}`);
      rows.set(row.key, row);
    }
    const byUnit = new Map(
      [...changes].map(([unit, after]) => [unit, after.length === 0 ? undefined : after]),
    );
    const units = withUnits(this.units, byUnit, (unit) => this.#byUnit.get(unit) !== undefined);
    return new DesiredRows(units, this.#rows.with(rows), this.#byUnit.with(byUnit));
  }
}

const NO_ROWS: readonly NbRow[] = [];

/** The names of the units after a change; the same list when none came or went. */
function withUnits(
  before: readonly UnitName[],
  changes: ReadonlyMap<UnitName, readonly NbRow[] | undefined>,
  wasThere: (unit: UnitName) => boolean,
): readonly UnitName[] {
  const moved = [...changes].filter(([unit, rows]) => (rows !== undefined) !== wasThere(unit));
  if (moved.length === 0) return before;
  const stayed = before.filter((unit) => !changes.has(unit) || changes.get(unit) !== undefined);
  const came = moved.flatMap(([unit, rows]) => (rows === undefined ? [] : [unit]));
  return [...stayed, ...came].toSorted(compareText);
}
