import { compareText } from '../lib/order.ts';
import type { NbRow, NbState, RowKey, UnitName } from '../model/nb.ts';

/** The desired rows, looked up the ways planning needs. Made once per revision. */
export interface DesiredNb {
  readonly state: NbState;
  row(key: RowKey): NbRow | undefined;
  /** The rows of a unit in canonical order. */
  rowsOf(unit: UnitName): readonly NbRow[];
  /** All units in canonical order. */
  readonly units: readonly UnitName[];
}

/** Indexes a desired state by unit. */
export function indexDesired(state: NbState): DesiredNb {
  const byUnit = new Map<UnitName, NbRow[]>();
  for (const row of state.rows.values()) {
    const rows = byUnit.get(row.unit);
    if (rows === undefined) byUnit.set(row.unit, [row]);
    else rows.push(row);
  }
  return {
    state,
    row: (key) => state.rows.get(key),
    rowsOf: (unit) => byUnit.get(unit) ?? [],
    units: [...byUnit.keys()].toSorted(compareText),
  };
}
