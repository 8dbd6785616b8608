import { applyOnce } from '../../src/reconcile/apply-once.ts';
import { DesiredRevisions } from '../../src/reconcile/desired-revisions.ts';
import { OWNER } from '../revision.ts';
import { desiredAt, followCommit, type Follower, listing } from './follow-commit.ts';
import { makeScene, openSceneNorthbound, openSceneSource, type Scene, type SceneAddress } from './scene.ts';
import { StageTimes, watchStages } from './stages.ts';

/** Changes before the ones that count: code is compiled, and every cache has been filled. */
const WARM_UP = 10;

/**
 * One-line commits in a repository of so many ports, one after the other: the times of each, by stage. `onApplied` is
 * called when the first revision stands in the Northbound.
 */
export async function measureChanges(
  ports: number,
  changes: number,
  onApplied?: (scene: SceneAddress) => Promise<void> | void,
): Promise<readonly StageTimes[]> {
  const scene = await makeScene(ports);
  const source = await openSceneSource(scene);
  const northbound = await openSceneNorthbound(scene);
  try {
    let times = new StageTimes();
    watchStages(() => times);
    const listed = listing(source, () => times);
    const revisions = new DesiredRevisions(listed);
    const follower = { source: listed, revisions, northbound };
    await applyFirst(follower);
    if (onApplied !== undefined) await onApplied(scene);
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
