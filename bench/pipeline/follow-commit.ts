import {
  acceptedRevision,
  acceptedText,
  acceptRevision,
  commitPlan,
} from '../../src/reconcile/revision-record.ts';
import type { UnitName } from '../../src/model/nb.ts';
import type { DesiredRevision, DesiredRevisions } from '../../src/reconcile/desired-revisions.ts';
import type { Northbound } from '../../src/reconcile/northbound.ts';
import { isOpen, planUnit, planUnits } from '../../src/reconcile/plan-units.ts';
import type { RevisionSource } from '../../src/reconcile/revision-source.ts';
import { OWNER } from '../revision.ts';
import type { StageTimes } from './stages.ts';

/** The parts that follow a repository. */
export interface Follower {
  readonly source: RevisionSource;
  readonly revisions: DesiredRevisions;
  readonly northbound: Northbound;
}

/** From the commit to the reply of the Northbound: what the controller does, then what a worker does. */
export async function followCommit(
  { source, revisions, northbound }: Follower,
  times: StageTimes,
): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  const tip = await times.time('fetch', () => source.fetch(signal));
  if (!tip.ok) throw new Error(tip.error.message);
  const { commit } = tip.value;
  const revision = await times.time('parse', () => desiredAt(revisions, commit, signal));
  const { desired, policy } = revision;
  const open = times
    .timeNow('plan all units', () => planUnits(desired, northbound, OWNER, policy))
    .filter(isOpen)
    .map(({ unit }) => unit);
  const [unit] = open;
  if (unit === undefined || open.length > 1)
    throw new Error(`${open.length} units are open after one change`);
  const text = acceptedText(northbound, OWNER);
  const sequence = (acceptedRevision(northbound, OWNER)?.sequence ?? 0) + 1;
  const accepted = await times.time('accept: NB reply', () =>
    acceptRevision(northbound, OWNER, { sequence, commit }, text, signal),
  );
  if (accepted.kind !== 'committed') throw new Error(accepted.reason);
  await commitUnit(northbound, revision, unit, { sequence, commit }, times);
}

async function commitUnit(
  northbound: Northbound,
  revision: DesiredRevision,
  unit: UnitName,
  accepted: { readonly sequence: number; readonly commit: string },
  times: StageTimes,
): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  const plan = times.timeNow('plan the unit', () =>
    planUnit(unit, revision.desired, northbound, OWNER, revision.policy),
  );
  const timed: Northbound = Object.create(northbound, {
    transact: {
      value: (transaction: Parameters<Northbound['transact']>[0]) =>
        times.time('commit: NB reply', () => northbound.transact(transaction, signal)),
    },
    live: { value: northbound.live },
    schema: { value: northbound.schema },
    globalUuid: { value: northbound.globalUuid },
    record: { value: (key: string) => northbound.record(key) },
  }) as Northbound;
  const request = { plan, revision, accepted, now: Date.now() };
  const outcome = await times.time('build', () => commitPlan(timed, OWNER, request, signal));
  if (outcome.kind !== 'committed') throw new Error(outcome.reason);
}

/** The revision of a commit; throws when it can't be used. */
export async function desiredAt(
  revisions: DesiredRevisions,
  commit: string,
  signal: AbortSignal,
): Promise<DesiredRevision> {
  const read = await revisions.at(commit, signal);
  if (read.ok) return read.value;
  throw new Error(read.error.kind === 'source' ? read.error.problem.message : 'not valid');
}

/** The source, with the listing of files timed. */
export function listing(source: RevisionSource, times: () => StageTimes): RevisionSource {
  return {
    ...source,
    files: (commit, signal) => times().time('list', () => source.files(commit, signal)),
    revision: (commit, signal) => times().time('list', () => source.revision(commit, signal)),
  };
}
