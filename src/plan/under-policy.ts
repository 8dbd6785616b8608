import type { NbRow, RowKey } from '../model/nb.ts';
import type { Change } from '../model/plan.ts';
import type { DriftPolicy } from './drift-policy.ts';
import { targetsOf } from './row-targets.ts';

/** What a policy is applied with. */
interface PolicyInput {
  readonly policy: DriftPolicy;
  readonly desired: { row(key: RowKey): NbRow | undefined };
}

/**
 * Sorts drift by policy. A change that hangs on a row which the policy leaves missing can't be made either: it is
 * reported with it, so that the rest of the unit can be put right.
 */
export function underPolicy(
  input: PolicyInput,
  changes: readonly Change[],
): { readonly applied: readonly Change[]; readonly reported: readonly Change[] } {
  const missing = new Set<RowKey>();
  const left = new Map<Change, 'report' | 'ignore'>();
  let before = -1;
  while (before !== left.size) {
    before = left.size;
    for (const change of changes) {
      if (left.has(change)) continue;
      const own = change.cause === 'drift' ? input.policy(change.key) : 'correct';
      const policy = own === 'correct' && hangsOn(input, change, missing) ? 'report' : own;
      if (policy === 'correct') continue;
      left.set(change, policy);
      if (change.kind === 'create') missing.add(change.key);
    }
  }
  return {
    applied: changes.filter((change) => !left.has(change)),
    reported: changes.filter((change) => left.get(change) === 'report'),
  };
}

function hangsOn(input: PolicyInput, change: Change, missing: ReadonlySet<RowKey>): boolean {
  const row = change.kind === 'delete' || missing.size === 0 ? undefined : input.desired.row(change.key);
  if (row === undefined) return false;
  for (const key of targetsOf(row)) if (missing.has(key)) return true;
  return false;
}
