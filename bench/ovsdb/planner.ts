import { indexDesired } from '../../src/plan/desired.ts';
import { diffKeys } from '../../src/plan/diff.ts';
import { CORRECT_ALL } from '../../src/plan/drift-policy.ts';
import { liveFromState } from '../../src/plan/live-from-state.ts';
import type { RowKey, UnitName } from '../../src/model/nb.ts';
import { nbState } from './nb-state.ts';
import { runJob } from './run-job.ts';
import type { Comparison } from './subject.ts';
import { generateWorkload } from './workload.ts';

const OWNER = 'bench';

/** What the reconciler finds differences with: by identity and marks, owned columns only. It needs no server. */
await runJob(({ ports }) => ({
  open: async () => {},
  transact: noSuchTask,
  rowCount: () => undefined,
  onPortSent: noSuchTask,
  recover: noSuchTask,
  comparison: () => comparisonOf(ports),
  close: async () => {},
}));

function comparisonOf(ports: number): Comparison {
  const state = nbState(generateWorkload(ports));
  const desired = indexDesired(state);
  const live = liveFromState(state, OWNER);
  const rows = desired.units.flatMap((unit) => desired.rowsOf(unit));
  return {
    count: rows.length,
    differing: (from, to) => {
      const dirty = new Map<UnitName, RowKey[]>();
      for (const { unit, key } of rows.slice(from, to)) {
        const keys = dirty.get(unit);
        if (keys === undefined) dirty.set(unit, [key]);
        else keys.push(key);
      }
      let differing = 0;
      for (const [unit, keys] of dirty) {
        const input = {
          desired,
          live,
          unit,
          owner: OWNER,
          settled: false,
          policy: CORRECT_ALL,
          isPreview: false,
        };
        const { plan } = diffKeys(input, keys);
        differing += plan.changes.length + plan.deferred.length;
      }
      return differing;
    },
  };
}

function noSuchTask(): never {
  throw new Error('the planner only compares');
}
