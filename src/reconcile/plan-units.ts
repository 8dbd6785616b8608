import { compareText } from '../lib/order.ts';
import type { UnitName } from '../model/nb.ts';
import type { Plan } from '../model/plan.ts';
import type { DesiredNb } from '../plan/desired.ts';
import { diff } from '../plan/diff.ts';
import type { DriftPolicy } from '../plan/drift-policy.ts';
import { unitHash } from '../plan/marks.ts';
import type { Northbound } from './northbound.ts';
import { appliedRecord } from './revision-record.ts';

/** The plan of one unit as things stand. */
export function planUnit(
  unit: UnitName,
  desired: DesiredNb,
  northbound: Northbound,
  owner: string,
  policy: DriftPolicy,
  isPreview = false,
): Plan {
  const rows = desired.rowsOf(unit);
  const applied = appliedRecord(northbound, owner, unit);
  const settled = applied === undefined ? false : applied.hash === unitHash(rows);
  return diff({ desired, live: northbound.live, unit, owner, settled, policy, isPreview });
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
