import type { AppliedRecord } from '../model/fence.ts';
import { acceptedKey, appliedKey, parseAccepted, parseApplied } from '../model/fence.ts';
import { reached } from '../model/fault-point.ts';
import type { UnitName } from '../model/nb.ts';
import type { Plan } from '../model/plan.ts';
import type { AcceptedRevision } from '../model/revision.ts';
import { acceptTransaction, firstRowTransaction } from '../plan/accept.ts';
import { buildTransaction } from '../plan/transaction.ts';
import type { DesiredRevision } from './desired-revisions.ts';
import type { CommitOutcome, Northbound } from './northbound.ts';

/** The revision that is in force, as NB itself remembers it. */
export function acceptedRevision(northbound: Northbound, owner: string): AcceptedRevision | undefined {
  return parseAccepted(northbound.record(acceptedKey(owner)));
}

/** What was last written to a unit, as NB itself remembers it. */
export function appliedRecord(
  northbound: Northbound,
  owner: string,
  unit: UnitName,
): AppliedRecord | undefined {
  return parseApplied(northbound.record(appliedKey(owner, unit)));
}

/** The record of the revision in force as it stands, readable or not. */
export function acceptedText(northbound: Northbound, owner: string): string | undefined {
  return northbound.record(acceptedKey(owner));
}

/** Puts a revision in force in place of what the record said when that was decided, unless it says something else by now. */
export async function acceptRevision(
  northbound: Northbound,
  owner: string,
  next: AcceptedRevision,
  previousText: string | undefined,
  signal: AbortSignal,
): Promise<CommitOutcome> {
  if (northbound.globalUuid === undefined) {
    // Neither northd nor ovn-nbctl has made the one row of NB_Global yet. Losing this race is as good as winning it.
    await northbound.transact(firstRowTransaction(), signal);
    await northbound.resynced(signal);
  }
  const { globalUuid } = northbound;
  if (globalUuid === undefined) return { kind: 'unavailable', reason: 'NB_Global has no row' };
  return northbound.transact(acceptTransaction(owner, globalUuid, next, previousText), signal);
}

/** What is written, for which revision. */
export interface CommitRequest {
  readonly plan: Plan;
  /** True when the plan is a part of the unit's, and not the last one. */
  readonly isPart?: boolean;
  readonly revision: DesiredRevision;
  readonly accepted: AcceptedRevision;
  /** ms since 1970. */
  readonly now: number;
}

/** Writes one unit's plan as one transaction, fenced by the accepted revision and the unit's record. */
export async function commitPlan(
  northbound: Northbound,
  owner: string,
  request: CommitRequest,
  signal: AbortSignal,
): Promise<CommitOutcome> {
  const { plan, revision, accepted, now } = request;
  const { globalUuid, live, schema } = northbound;
  if (globalUuid === undefined) return { kind: 'conflict', reason: 'NB_Global has no row' };
  const transaction = buildTransaction({
    plan,
    isPart: request.isPart === true,
    desired: revision.desired,
    live,
    schema,
    owner,
    accepted,
    appliedText: northbound.record(appliedKey(owner, plan.unit)),
    globalUuid,
    now,
    author: revision.revision.author.name,
  });
  reached('transaction built');
  return northbound.transact(transaction, signal);
}
