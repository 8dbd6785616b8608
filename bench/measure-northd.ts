import type { NorthboundDatabase } from '../src/nb/northbound.ts';
import { applyOnce } from '../src/reconcile/apply-once.ts';
import { openTestNorthbound } from '../test/support/apply-harness.ts';
import { startCentral } from '../test/support/ovn-central.ts';
import { type GeneratedFile, withMovedPort } from './generate.ts';
import { OWNER, revisionOf } from './revision.ts';
import type { Stopwatch } from './stopwatch.ts';

/** From the first commit to sb_cfg, the proof that a real ovn-northd has translated it: everything, then one port. */
export async function measureNorthd(files: readonly GeneratedFile[], stopwatch: Stopwatch): Promise<void> {
  const revisions = [
    { stage: 'ovn-northd: everything, from the first commit to sb_cfg', files, commit: 'a'.repeat(40) },
    {
      stage: 'ovn-northd: one port, from planning to sb_cfg',
      files: withMovedPort(files),
      commit: 'b'.repeat(40),
    },
  ];
  const central = await startCentral();
  const northbound = await openTestNorthbound(central.nb, central.sb);
  try {
    for (const { stage, files, commit } of revisions) {
      const revision = revisionOf(files, commit);
      await stopwatch.timeAsync(stage, async () => {
        const signal = AbortSignal.timeout(600_000);
        const { written, failed } = await applyOnce(
          northbound,
          revision,
          OWNER,
          { now: 0, passHolds: true },
          signal,
        );
        const last = written.at(-1);
        if (last === undefined || failed.length > 0) throw new Error(JSON.stringify(failed));
        await translated(northbound, last.nbCfg, signal);
      });
    }
    const complaints = central.northdComplaints();
    if (complaints.length > 0) throw new Error(complaints.join('\n'));
  } finally {
    await northbound.close();
    await central.stop();
  }
}

/** Resolves when ovn-northd has translated a commit; rejects when `signal` fires first. */
function translated(northbound: NorthboundDatabase, nbCfg: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (northbound.convergence(nbCfg).translatedAt === undefined) return;
      stop();
      resolve();
    };
    const stop = northbound.onProgress(look);
    signal.addEventListener('abort', () => {
      stop();
      reject(new Error('ovn-northd did not answer in time'));
    });
    look();
  });
}
