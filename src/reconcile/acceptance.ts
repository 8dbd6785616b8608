import { formatIp, type Ip, parseIp } from '../lib/ip.ts';
import type { NbValue } from '../model/nb.ts';
import type { Plan } from '../model/plan.ts';
import type { RepositorySpec } from '../model/specs.ts';
import type { DesiredRevision } from './desired-revisions.ts';

/** A revision that is valid and yet waits for a person, and why. */
export interface Hold {
  /** PascalCase, e.g. `HistoryRewritten`. */
  readonly reason: string;
  readonly message: string;
}

/** What is deleted at most in one revision when the repository says nothing. */
const DEFAULT_PERCENT = 50;

/** Deleting fewer rows than this never counts as a mass deletion. */
const SMALL = 10;

/** Holds a revision whose history does not continue the accepted one's: a force push undoes what others have merged. */
export function historyHold(
  relation: 'same' | 'descendant' | 'rewound' | 'unknown',
  accepted: string,
  next: string,
): Hold | undefined {
  if (relation === 'same' || relation === 'descendant') return undefined;
  const message =
    relation === 'rewound'
      ? `history was rewritten: ${short(accepted)}, which is in force, is no ancestor of ${short(next)}`
      : `it can't be proven that ${short(next)} continues ${short(accepted)}, which is in force`;
  return { reason: 'HistoryRewritten', message };
}

/** Holds a revision that deletes more of our rows than the repository's budget allows. */
export function deletionHold(
  plans: readonly Plan[],
  liveRows: number,
  budget: RepositorySpec['deleteBudget'],
): Hold | undefined {
  const deletions = plans.flatMap((plan) => plan.changes.filter((change) => change.kind === 'delete'));
  const deferred = plans.flatMap((plan) =>
    plan.deferred.filter((wait) => wait.reason === 'referenced-by-unit'),
  );
  const count = deletions.length + deferred.length;
  const percent = budget?.percent ?? DEFAULT_PERCENT;
  const isOverCount = budget?.count !== undefined && count > budget.count;
  const isOverPercent = (budget !== undefined || count > SMALL) && count * 100 > percent * liveRows;
  if (!isOverCount && !isOverPercent) return undefined;
  const limit = isOverCount ? `${budget?.count ?? 0} rows` : `${percent} %`;
  const examples = deletions.slice(0, 5).map((change) => change.key);
  return {
    reason: 'DeleteBudget',
    message: `would delete ${count} of ${liveRows} rows, more than the budget of ${limit}: ${examples.join(', ')}${count > 5 ? ', …' : ''}`,
  };
}

/**
 * Holds a revision by which a Port that did not ask for it would get another automatic address, because a new Port
 * took its place in the pool. Pinned addresses (`ovn-gitops lock`) never move.
 */
export function addressHold(plans: readonly Plan[], revision: DesiredRevision): Hold | undefined {
  const moved: string[] = [];
  for (const plan of plans) {
    for (const change of plan.changes) {
      if (change.kind !== 'update' || change.table !== 'Logical_Switch_Port' || change.cause === 'drift')
        continue;
      const column = change.columns.find((one) => one.column === 'addresses');
      if (column === undefined || change.columns.some((one) => one.column === '(parent)')) continue;
      const port = change.key.slice('Logical_Switch_Port/'.length);
      const automatic = revision.compiled.addresses.get(port)?.addresses.filter((one) => one.automatic) ?? [];
      const held = ipsOf(column.from);
      for (const { family, address } of automatic) {
        const before = held.find((ip) => ip.family === family);
        if (before !== undefined && formatIp(before) !== address) {
          moved.push(`${port}: ${formatIp(before)} -> ${address}`);
        }
      }
    }
  }
  if (moved.length === 0) return undefined;
  return {
    reason: 'AddressMoves',
    message: `automatic addresses of existing ports would move (${moved.slice(0, 5).join('; ')}); run "ovn-gitops lock" and commit ovn-gitops.lock.yaml to pin them`,
  };
}

/** The addresses in a port's `addresses` column (`MAC IP IP`, ovn-nb(5)). */
function ipsOf(value: NbValue | undefined): readonly Ip[] {
  const texts = Array.isArray(value) ? (value as readonly string[]) : [];
  return texts
    .flatMap((text) => text.split(' '))
    .flatMap((part) => {
      const ip = parseIp(part);
      return ip.ok ? [ip.value] : [];
    });
}

function short(commit: string): string {
  return commit.slice(0, 12);
}
