import { firstPart } from '../plan/first-part.ts';
import type { DriftPolicy } from '../plan/drift-policy.ts';
import type { CommitOutcome, Northbound } from './northbound.ts';
import { planUnit } from './plan-units.ts';
import { commitPlan, type CommitRequest } from './revision-record.ts';

/** A plan to be written, with what the next one is made by when it is written in parts. */
export interface UnitCommit extends CommitRequest {
  readonly policy: DriftPolicy;
  /** Told after each part but the last, with how many changes are left. */
  readonly onPart?: (left: number) => Promise<void>;
}

/**
 * Writes a unit's plan as one transaction, or, where the repository limits transactions and the plan is larger, in parts
 * (src/plan/first-part.ts says where it may be cut). Each part is planned on what the one before left, so that whoever
 * goes on after a crash does the same; the unit's record is written with the last.
 */
export async function commitUnit(
  northbound: Northbound,
  owner: string,
  request: UnitCommit,
  signal: AbortSignal,
): Promise<CommitOutcome> {
  const { revision, policy, onPart } = request;
  const { desired } = revision;
  const limit = revision.repository.limits?.transactionOperations;
  let { plan } = request;
  for (;;) {
    const part = limit === undefined ? plan : firstPart(plan, { desired, live: northbound.live }, limit);
    const left = plan.changes.length - part.changes.length;
    const outcome = await commitPlan(northbound, owner, { ...request, plan: part, isPart: left > 0 }, signal);
    if (left === 0 || outcome.kind !== 'committed') return outcome;
    await onPart?.(left);
    plan = planUnit(plan.unit, desired, northbound, owner, policy);
  }
}
