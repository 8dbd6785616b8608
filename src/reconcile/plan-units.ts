import { compareText } from '../lib/order.ts';
import type { UnitName } from '../model/nb.ts';
import type { Plan } from '../model/plan.ts';
import type { DesiredNb } from '../plan/desired.ts';
import type { DriftPolicy } from '../plan/drift-policy.ts';
import { OpenRows } from '../plan/open-rows.ts';
import { unitHash } from '../plan/unit-hash.ts';
import type { Northbound } from './northbound.ts';
import { appliedRecord } from './revision-record.ts';

/** What is known of each Northbound's rows; it lives as long as the replica. */
const openRows = new WeakMap<Northbound, OpenRows>();

/** The plan of one unit as things stand. Its cost follows what has changed since the unit was last planned. */
export function planUnit(
  unit: UnitName,
  desired: DesiredNb,
  northbound: Northbound,
  owner: string,
  policy: DriftPolicy,
  isPreview = false,
): Plan {
  return openRowsOf(northbound).plan(desired, unit, () => {
    const applied = appliedRecord(northbound, owner, unit);
    const settled = applied?.hash === unitHash(desired.rowsOf(unit));
    return { owner, settled, policy, isPreview };
  });
}

function openRowsOf(northbound: Northbound): OpenRows {
  const known = openRows.get(northbound);
  if (known !== undefined) return known;
  const rows = new OpenRows(northbound.live);
  northbound.live.onTouch((key) => rows.touch(key));
  openRows.set(northbound, rows);
  return rows;
}

/** The plans of all units that exist in Git or in the database, in canonical order, with empty ones. */
export function planUnits(
  desired: DesiredNb,
  northbound: Northbound,
  owner: string,
  policy: DriftPolicy,
  isPreview = false,
): readonly Plan[] {
  const units = new Set([...desired.units, ...northbound.live.units()]);
  return [...units]
    .toSorted(compareText)
    .map((unit) => planUnit(unit, desired, northbound, owner, policy, isPreview));
}

/** True when there is something to write or to wait for. */
export function isOpen(plan: Plan): boolean {
  return plan.changes.length > 0 || plan.deferred.length > 0;
}
