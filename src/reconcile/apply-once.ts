import { MAX_SEQUENCE, parseAccepted } from '../model/fence.ts';
import type { UnitName } from '../model/nb.ts';
import type { Plan } from '../model/plan.ts';
import type { AcceptedRevision } from '../model/revision.ts';
import { addressHold, deletionHold, type Hold } from './acceptance.ts';
import { commitUnit } from './commit-unit.ts';
import type { DesiredRevision } from './desired-revisions.ts';
import { inFlight } from './in-flight.ts';
import type { Northbound } from './northbound.ts';
import { isOpen, planUnit, planUnits } from './plan-units.ts';
import { acceptedText, acceptRevision } from './revision-record.ts';

/** What one shot of applying did. */
export interface ApplyResult {
  readonly revision: AcceptedRevision;
  /** Every plan that was written, in order. */
  readonly written: readonly { readonly plan: Plan; readonly nbCfg: number }[];
  /** Units that could not be brought to the revision, with the reason. */
  readonly failed: readonly { readonly unit: UnitName; readonly reason: string }[];
}

/** So often a unit is planned again after somebody else was faster. */
const ATTEMPTS = 10;
/** Units wait for units that wait for units at most; whoever changes rows all the time must not keep us for ever. */
const ROUNDS = 20;

/**
 * Brings the whole Northbound to a revision without queue or store: units in order, several on their way at once, units
 * that wait for others again afterwards, until nothing moves any more. Writes nothing at all when nothing differs.
 */
export async function applyOnce(
  northbound: Northbound,
  revision: DesiredRevision,
  owner: string,
  options: { readonly now: number; readonly passHolds: boolean },
  signal: AbortSignal,
): Promise<ApplyResult> {
  const { now, passHolds } = options;
  const { commit } = revision.revision;
  const text = acceptedText(northbound, owner);
  const before = parseAccepted(text);
  const open = planUnits(revision.desired, northbound, owner, revision.policy).filter(isOpen);
  if (before !== undefined && open.length === 0) return { revision: before, written: [], failed: [] };
  const hold = passHolds ? undefined : applyHold(northbound, revision, owner);
  if (hold !== undefined) {
    const failed = open.map((plan) => ({ unit: plan.unit, reason: `held: ${hold.message}` }));
    return { revision: before ?? { sequence: 0, commit }, written: [], failed };
  }
  let accepted = before;
  if (accepted?.commit !== commit) {
    accepted = { sequence: ((before?.sequence ?? 0) % MAX_SEQUENCE) + 1, commit };
    const outcome = await acceptRevision(northbound, owner, accepted, text, signal);
    if (outcome.kind !== 'committed') {
      const failed = open.map((plan) => ({ unit: plan.unit, reason: outcome.reason }));
      return { revision: accepted, written: [], failed };
    }
  }
  return applyUnits(
    { northbound, revision, owner, accepted, now, signal },
    open.map((plan) => plan.unit),
  );
}

/** What keeps a revision from being applied until somebody has looked: a mass deletion, or addresses that would move. */
function applyHold(northbound: Northbound, revision: DesiredRevision, owner: string): Hold | undefined {
  const plans = planUnits(revision.desired, northbound, owner, revision.policy, true);
  return (
    deletionHold(plans, northbound.live.size, revision.repository.deleteBudget) ??
    addressHold(plans, revision)
  );
}

interface Application {
  readonly northbound: Northbound;
  readonly revision: DesiredRevision;
  readonly owner: string;
  readonly accepted: AcceptedRevision;
  readonly now: number;
  readonly signal: AbortSignal;
}

async function applyUnits(application: Application, units: readonly UnitName[]): Promise<ApplyResult> {
  const { northbound, revision, owner } = application;
  const written: { plan: Plan; nbCfg: number }[] = [];
  const failed = new Map<UnitName, string>();
  let left = units;
  for (let round = 0; round < ROUNDS && left.length > 0; round += 1) {
    const before = written.length;
    failed.clear();
    await inFlight(left, async (unit) => {
      const result = await applyUnit(application, unit);
      written.push(...result.written);
      if (result.waits !== undefined) failed.set(unit, result.waits);
    });
    if (written.length === before) break;
    // Also a unit that was done is looked at again: what others wrote since may concern it.
    left = planUnits(revision.desired, northbound, owner, revision.policy)
      .filter(isOpen)
      .map((plan) => plan.unit);
  }
  return {
    revision: application.accepted,
    written,
    failed: [...failed].map(([unit, reason]) => ({ unit, reason })),
  };
}

async function applyUnit(
  application: Application,
  unit: UnitName,
): Promise<{
  readonly written: readonly { plan: Plan; nbCfg: number }[];
  readonly waits: string | undefined;
}> {
  const { northbound, revision, owner, accepted, signal } = application;
  let reason = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const plan = planUnit(unit, revision.desired, northbound, owner, revision.policy);
    const [wait] = plan.deferred;
    const waits = wait === undefined ? undefined : `${wait.key}: ${wait.reason} ${wait.waitsFor.join(', ')}`;
    if (plan.changes.length === 0) return { written: [], waits };
    const outcome = await commitUnit(
      northbound,
      owner,
      { plan, revision, accepted, now: application.now, policy: revision.policy },
      signal,
    );
    if (outcome.kind === 'committed') return { written: [{ plan, nbCfg: outcome.nbCfg }], waits };
    reason = outcome.reason;
    if (outcome.kind === 'refused' || signal.aborted) break;
    await northbound.resynced(signal);
  }
  return { written: [], waits: reason };
}
