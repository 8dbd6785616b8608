import { unitSummary } from '../plan/print.ts';
import { reached } from '../model/fault-point.ts';
import type { UnitName } from '../model/nb.ts';
import type { Plan } from '../model/plan.ts';
import type { AcceptedRevision } from '../model/revision.ts';
import type { Receipt, UnitStatus } from '../model/status.ts';
import { commitUnit } from './commit-unit.ts';
import type { Corrections } from './corrections.ts';
import type { ConvergenceWatch } from './convergence-watch.ts';
import type { DesiredRevision, DesiredRevisions, RevisionFault } from './desired-revisions.ts';
import { driftRecords } from './drift-records.ts';
import type { CommitOutcome, Northbound } from './northbound.ts';
import { planUnit } from './plan-units.ts';
import { acceptedRevision, appliedRecord } from './revision-record.ts';
import type { StatusStore } from './status-store.ts';
import type { JobOutcome, UnitJob } from './unit-queue.ts';

/** The parts that reconciling a unit needs. */
export interface UnitReconciler {
  readonly owner: string;
  readonly northbound: Northbound;
  readonly revisions: DesiredRevisions;
  readonly store: StatusStore;
  readonly corrections: Corrections;
  readonly convergence: ConvergenceWatch;
  readonly clock: () => number;
}

/**
 * Brings one unit to the revision in force: reads what should be and what is, writes the difference as one
 * transaction, and says what became of it. Running it twice is running it once; whatever goes wrong, the database is
 * at the old or at the new state of the unit.
 */
export async function reconcileUnit(
  parts: UnitReconciler,
  job: UnitJob,
  signal: AbortSignal,
  failures = 0,
): Promise<JobOutcome> {
  const { northbound, revisions, owner, corrections, clock } = parts;
  const startedAt = clock();
  if (!northbound.isLive) return { kind: 'retry', class: 'transport', message: 'the Northbound is away' };
  const accepted = acceptedRevision(northbound, owner);
  if (accepted === undefined) return { kind: 'done' };
  reached('acceptance read');
  const read = await revisions.at(accepted.commit, signal);
  if (!read.ok) return unreadable(parts, job.unit, accepted, read.error);
  const revision = read.value;
  corrections.follow(accepted.sequence);
  const policy = corrections.limit(revision.policy);
  const plan = planUnit(job.unit, revision.desired, northbound, owner, policy);
  reached('unit planned');
  if (plan.changes.length === 0) return settled(parts, job, accepted, plan);
  const onPart = async (left: number): Promise<void> => {
    const message = `written in parts by limits.transactionOperations; ${left} of ${plan.changes.length} changes are left`;
    const fields = { condition: 'Reconciling', reason: 'InParts', message, convergence: undefined } as const;
    await writeStatus(parts, job.unit, accepted, fields);
  };
  const request = { plan, revision, accepted, now: startedAt, policy, onPart };
  const outcome = await commitUnit(northbound, owner, request, signal);
  return committed(parts, { job, accepted, plan, revision, startedAt, failures }, outcome);
}

async function unreadable(
  parts: UnitReconciler,
  unit: UnitName,
  accepted: AcceptedRevision,
  fault: RevisionFault,
): Promise<JobOutcome> {
  const message =
    fault.kind === 'source'
      ? `${fault.problem.message} (${fault.problem.hint})`
      : `revision ${accepted.commit} is not valid for this version: ${fault.diagnostics[0]?.message ?? ''}`;
  const isLasting = fault.kind === 'invalid' || fault.problem.kind === 'permanent';
  const reason = fault.kind === 'source' ? 'SourceUnreadable' : 'RevisionInvalid';
  const condition = isLasting ? 'Stalled' : 'Reconciling';
  await writeStatus(parts, unit, accepted, { condition, reason, message, convergence: undefined });
  return isLasting ? { kind: 'stalled', message } : { kind: 'retry', class: 'transport', message };
}

async function settled(
  parts: UnitReconciler,
  job: UnitJob,
  accepted: AcceptedRevision,
  plan: Plan,
): Promise<JobOutcome> {
  const { store } = parts;
  for (const record of driftRecords(plan, parts.corrections, job.seenAt, undefined))
    await store.addDrift(record);
  const [first] = plan.deferred;
  if (first !== undefined) {
    const message = `${first.key}: ${first.reason} ${first.waitsFor.join(', ')}`;
    const isForeign = plan.deferred.every((wait) => wait.reason === 'holds-foreign-rows');
    const condition = isForeign ? 'Stalled' : 'Reconciling';
    await writeStatus(parts, job.unit, accepted, {
      condition,
      reason: 'Deferred',
      message,
      convergence: undefined,
    });
    return isForeign ? { kind: 'stalled', message } : { kind: 'retry', class: 'deferred', message };
  }
  const applied = appliedRecord(parts.northbound, parts.owner, job.unit);
  if (applied === undefined) return told(await store.removeUnits([job.unit]));
  const known = await store.unit(job.unit);
  const left = leftAlone(parts.corrections, plan);
  const fields = left ?? ({ condition: 'Ready', reason: 'UpToDate', message: 'nothing to do' } as const);
  const isAsKnown = left === undefined ? isSettled(known) : known?.reason === left.reason;
  if (isAsKnown && known?.sequence === applied.sequence) return { kind: 'done' };
  const convergence = known?.sequence === applied.sequence ? known.convergence : undefined;
  return told(await writeStatus(parts, job.unit, applied, { ...fields, convergence }));
}

/** A few conflicts in a row are everyday life; more than a worker tries in place is something that people should see. */
const TELL_CONFLICT_AFTER = 20;

/** What a run of one unit works on. */
interface Run {
  readonly job: UnitJob;
  readonly accepted: AcceptedRevision;
  readonly plan: Plan;
  readonly revision: DesiredRevision;
  readonly startedAt: number;
  readonly failures: number;
}

async function committed(parts: UnitReconciler, run: Run, outcome: CommitOutcome): Promise<JobOutcome> {
  const { unit } = run.plan;
  switch (outcome.kind) {
    case 'committed':
      reached('unit committed');
      return recordCommit(parts, run, outcome.nbCfg);
    case 'conflict':
      if (run.failures >= TELL_CONFLICT_AFTER) {
        const fields = { condition: 'Reconciling', reason: 'Conflict', message: outcome.reason } as const;
        await writeStatus(parts, unit, run.accepted, { ...fields, convergence: undefined });
      }
      return { kind: 'retry', class: 'conflict', message: outcome.reason };
    case 'unavailable':
      await writeStatus(parts, unit, run.accepted, {
        condition: 'Reconciling',
        reason: 'NbUnavailable',
        message: outcome.reason,
        convergence: undefined,
      });
      return { kind: 'retry', class: 'transport', message: outcome.reason };
    case 'refused':
      await writeStatus(parts, unit, run.accepted, {
        condition: 'Stalled',
        reason: 'NbRefused',
        message: outcome.reason,
        convergence: undefined,
      });
      return { kind: 'stalled', message: outcome.reason };
  }
}

async function recordCommit(parts: UnitReconciler, run: Run, nbCfg: number): Promise<JobOutcome> {
  const { store, clock, corrections, northbound } = parts;
  const { plan, accepted, job, startedAt } = run;
  const at = clock();
  const drifted = plan.changes.filter((change) => change.cause === 'drift');
  corrections.count(drifted, at);
  const receipt: Receipt = {
    unit: plan.unit,
    ...accepted,
    cause: drifted.length === plan.changes.length ? 'drift' : 'revision',
    created: plan.changes.filter((change) => change.kind === 'create').length,
    updated: plan.changes.filter((change) => change.kind === 'update').length,
    deleted: plan.changes.filter((change) => change.kind === 'delete').length,
    nbCfg,
    tookMs: at - startedAt,
    at,
  };
  await store.addReceipt(receipt);
  reached('receipt told');
  for (const record of driftRecords(plan, corrections, job.seenAt, at)) {
    await store.addDrift(record);
    reached('drift told');
  }
  const [wait] = plan.deferred;
  if (wait !== undefined) {
    return {
      kind: 'retry',
      class: 'deferred',
      message: `${wait.key}: ${wait.reason} ${wait.waitsFor.join(', ')}`,
    };
  }
  if (appliedRecord(northbound, parts.owner, plan.unit) === undefined) {
    const isRemoved = await store.removeUnits([plan.unit]);
    reached('removal told');
    return told(isRemoved);
  }
  const applied = { condition: 'Ready', reason: 'Applied', message: unitSummary(plan) } as const;
  const status = leftAlone(corrections, plan) ?? applied;
  const convergence = northbound.convergence(nbCfg);
  const isTold = await writeStatus(parts, plan.unit, accepted, { ...status, convergence });
  parts.convergence.follow(plan.unit, nbCfg, async (progress) => {
    // Another worker may have brought the unit to a later revision: its status is not ours to write.
    if (appliedRecord(northbound, parts.owner, plan.unit)?.sequence !== accepted.sequence) return true;
    const isProofTold = await writeStatus(parts, plan.unit, accepted, { ...status, convergence: progress });
    reached('proof told');
    return isProofTold;
  });
  return told(isTold);
}

/** A status that could not be written is written by the next run, which may be another worker's. */
function told(isTold: boolean): JobOutcome {
  if (isTold) return { kind: 'done' };
  return { kind: 'retry', class: 'transport', message: 'the status could not be written' };
}

async function writeStatus(
  parts: UnitReconciler,
  unit: UnitName,
  revision: AcceptedRevision,
  fields: Pick<UnitStatus, 'condition' | 'reason' | 'message' | 'convergence'>,
): Promise<boolean> {
  const { sequence, commit } = revision;
  reached('status to be told');
  const isWritten = await parts.store.writeUnit({ unit, sequence, commit, at: parts.clock(), ...fields });
  reached('status told');
  return isWritten;
}

/** What the status says of differences that are not put right: by policy, or because somebody insists on them. */
function leftAlone(
  corrections: Corrections,
  plan: Plan,
): Pick<UnitStatus, 'condition' | 'reason' | 'message'> | undefined {
  const contested = plan.reported.find((change) => corrections.isContested(change.key));
  if (contested !== undefined) {
    const message = `${contested.key} is changed back again and again; it is left as it is until the next revision`;
    return { condition: 'Stalled', reason: 'Contested', message };
  }
  const [reported] = plan.reported;
  if (reported === undefined) return undefined;
  const message = `${plan.reported.length} differences are left by policy, the first at ${reported.key}`;
  return { condition: 'Ready', reason: 'DriftReported', message };
}

function isSettled(status: UnitStatus | undefined): boolean {
  return status?.condition === 'Ready' && status.reason !== 'DriftReported';
}
