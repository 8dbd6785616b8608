import { compareText } from '../lib/order.ts';
import type { UnitName } from '../model/nb.ts';
import type { Plan } from '../model/plan.ts';
import type { DesiredNb } from '../plan/desired.ts';
import { diff } from '../plan/diff.ts';
import type { DriftPolicy } from '../plan/drift-policy.ts';
import type { AppliedRecord } from '../plan/fence.ts';
import type { LiveNb } from '../plan/live.ts';
import { unitHash } from '../plan/marks.ts';

/** What the live side of planning offers. */
export interface PlannedAgainst {
  readonly live: LiveNb & { units(): Iterable<UnitName> };
  applied(unit: UnitName): AppliedRecord | undefined;
}

/** The plan of one unit as things stand. */
export function planUnit(
  unit: UnitName,
  desired: DesiredNb,
  against: PlannedAgainst,
  owner: string,
  policy: DriftPolicy,
): Plan {
  const rows = desired.rowsOf(unit);
  const applied = against.applied(unit);
  const settled = applied === undefined ? false : applied.hash === unitHash(rows);
  return diff({ desired, live: against.live, unit, owner, settled, policy });
}

/** The plans of all units that exist in Git or in the database, in canonical order, with empty ones. */
export function planUnits(
  desired: DesiredNb,
  against: PlannedAgainst,
  owner: string,
  policy: DriftPolicy,
): readonly Plan[] {
  const units = new Set([...desired.units, ...against.live.units()]);
  return [...units].toSorted(compareText).map((unit) => planUnit(unit, desired, against, owner, policy));
}

/** True when there is something to write or to wait for. */
export function isOpen(plan: Plan): boolean {
  return plan.changes.length > 0 || plan.deferred.length > 0;
}
