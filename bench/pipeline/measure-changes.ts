import {
  acceptedRevision,
  acceptedText,
  acceptRevision,
  commitPlan,
} from '../../src/reconcile/revision-record.ts';
import type { UnitName } from '../../src/model/nb.ts';
import { applyOnce } from '../../src/reconcile/apply-once.ts';
import { type DesiredRevision, DesiredRevisions } from '../../src/reconcile/desired-revisions.ts';
import type { Northbound } from '../../src/reconcile/northbound.ts';
import { isOpen, planUnit, planUnits } from '../../src/reconcile/plan-units.ts';
import type { RevisionSource } from '../../src/reconcile/revision-source.ts';
import { openTestNorthbound } from '../../test/support/apply-harness.ts';
import { OWNER } from '../revision.ts';
import { makeScene, openSceneSource, type Scene } from './scene.ts';
import { StageTimes, watchStages } from './stages.ts';

/** Changes before the ones that count: code is compiled, and every cache has been filled. */
const WARM_UP = 10;

/** One-line commits in a repository of so many ports, one after the other: the times of each, by stage. */
export async function measureChanges(ports: number, changes: number): Promise<readonly StageTimes[]> {
  const scene = await makeScene(ports);
  const source = await openSceneSource(scene);
  const northbound = await openTestNorthbound(scene.endpoint);
  try {
    let times = new StageTimes();
    watchStages(() => times);
    const listed = listing(source, () => times);
    const revisions = new DesiredRevisions(listed);
    const follower = { source: listed, revisions, northbound };
    await applyFirst(follower);
    const measured: StageTimes[] = [];
    for (let change = 0; change < WARM_UP + changes; change += 1) {
      await editLine(scene, change);
      times = new StageTimes();
      await followCommit(follower, times);
      measured.push(times);
    }
    return measured.slice(WARM_UP);
  } finally {
    await northbound.close();
    await source.close();
    await scene.remove();
  }
}

interface Follower {
  readonly source: RevisionSource;
  readonly revisions: DesiredRevisions;
  readonly northbound: Northbound;
}

async function applyFirst({ source, revisions, northbound }: Follower): Promise<void> {
  const signal = AbortSignal.timeout(1_800_000);
  const tip = await source.fetch(signal);
  if (!tip.ok) throw new Error(tip.error.message);
  const revision = await desiredAt(revisions, tip.value.commit, signal);
  const { failed } = await applyOnce(
    northbound,
    revision,
    OWNER,
    { now: Date.now(), passHolds: true },
    signal,
  );
  if (failed.length > 0) throw new Error(`${failed.length} units failed: ${failed[0]?.reason}`);
}

/** Another fixed address for one port: of another VPC each time. */
async function editLine({ git, files }: Scene, change: number): Promise<void> {
  const paths = [...files.keys()].filter((path) => path.endsWith('/ports.yaml'));
  const path = paths[(change * 7) % paths.length] ?? '';
  const host = 200 + Math.floor((change * 7) / paths.length);
  const text = (files.get(path) ?? '').replace(/(addresses: \[[0-9.]+\.)[0-9]+\]/, `$1${host}]`);
  await git.commit(`move a port (${change})`, { [path]: text });
}

/** From the commit to the reply of the Northbound: what the controller does, then what a worker does. */
async function followCommit({ source, revisions, northbound }: Follower, times: StageTimes): Promise<void> {
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

async function desiredAt(
  revisions: DesiredRevisions,
  commit: string,
  signal: AbortSignal,
): Promise<DesiredRevision> {
  const read = await revisions.at(commit, signal);
  if (read.ok) return read.value;
  throw new Error(read.error.kind === 'source' ? read.error.problem.message : 'not valid');
}

/** The source, with the listing of files timed. */
function listing(source: RevisionSource, times: () => StageTimes): RevisionSource {
  return {
    ...source,
    files: (commit, signal) => times().time('list', () => source.files(commit, signal)),
    revision: (commit, signal) => times().time('list', () => source.revision(commit, signal)),
  };
}
