import { compareText } from '../lib/order.ts';
import type { LiveNb } from '../model/live.ts';
import { MARK } from '../model/marks.ts';
import type { RowKey } from '../model/nb.ts';
import type { Change, Plan } from '../model/plan.ts';
import type { DesiredNb } from './desired.ts';
import { INCOMPLETE_HASH } from './marks.ts';
import { parentHolders } from './parents.ts';

/** The rows that a plan is made of, on both sides. */
interface Sides {
  readonly desired: DesiredNb;
  readonly live: LiveNb;
}

/**
 * What of a plan is written first when one transaction may have only so many operations: the plan itself, or a part of
 * it after which the next plan goes on. Policy comes first and as a whole, then what it needs is built from the bottom
 * up (a port joins its groups as it is made), and what is unwanted goes last, groups and their rules after their
 * members. So between two parts nothing refers to a missing row, and no port is without the policy that it is to have,
 * or had. What belongs together (all policy, a row and those that must not be without it, rows that pass on a name) is
 * not cut, even when it is more than the limit.
 */
export function firstPart(plan: Plan, sides: Sides, limit: number): Plan {
  const changes = new Set<Change>();
  // A group that waits for members takes in those that are made with every part.
  for (const change of plan.changes) if (isIncomplete(change, sides.live)) changes.add(change);
  let cost = OVERHEAD + costOf([...changes]);
  let isFirst = true;
  for (const bundle of bundlesOf(plan, sides, changes)) {
    const next = costOf(bundle);
    if (!isFirst && cost + next > limit) break;
    for (const change of bundle) changes.add(change);
    cost += next;
    isFirst = false;
  }
  return { ...plan, changes: plan.changes.filter((change) => changes.has(change)) };
}

/** True when a plan may take more operations than this, so that it is written in parts. */
export function isInParts(plan: Plan, limit: number): boolean {
  return OVERHEAD + costOf(plan.changes) > limit;
}

function costOf(changes: readonly Change[]): number {
  return changes.reduce((sum, change) => sum + COST[change.kind], 0);
}

/** Fence, select and comment. */
const OVERHEAD = 6;

/** Operations that a change takes at most: itself, its guards, and the entry in its parent. */
const COST: Readonly<Record<Change['kind'], number>> = { create: 3, update: 4, delete: 3 };

function isIncomplete(change: Change, live: LiveNb): boolean {
  if (change.kind !== 'update') return false;
  const ids = live.withKey(change.key)[0]?.columns['external_ids'];
  return ids instanceof Map && ids.get(MARK.hash) === INCOMPLETE_HASH;
}

function bundlesOf(plan: Plan, sides: Sides, taken: ReadonlySet<Change>): readonly (readonly Change[])[] {
  const created = new Set(plan.changes.flatMap((change) => (change.kind === 'create' ? [change.key] : [])));
  const bundles = new Map<string, { stage: number; changes: Change[] }>();
  const nameOf = new Map<string, string>();
  for (const change of plan.changes) {
    if (taken.has(change)) continue;
    const stage = stageOf(change, sides, created);
    const own = bundleName(change, stage, sides, created);
    const names = namesOf(change);
    const name = names.map((one) => nameOf.get(one)).find((one) => one !== undefined) ?? own;
    for (const one of names) nameOf.set(one, name);
    const bundle = bundles.get(name);
    if (bundle === undefined) bundles.set(name, { stage, changes: [change] });
    else {
      bundle.stage = Math.min(bundle.stage, stage);
      bundle.changes.push(change);
    }
  }
  return [...bundles]
    .toSorted(([a, left], [b, right]) => left.stage - right.stage || compareText(a, b))
    .map(([, bundle]) => bundle.changes);
}

/** Stages of what is made or changed, in their order; what is deleted comes after all of them. */
const STAGES: readonly (readonly string[])[] = [
  ['Address_Set', 'Port_Group', 'ACL'],
  ['DHCP_Options', 'Load_Balancer', 'Load_Balancer_Health_Check'],
  ['Logical_Router', 'Logical_Switch'],
  ['Logical_Router_Port', 'Gateway_Chassis', 'Logical_Router_Policy'],
  ['Logical_Switch_Port', 'NAT', 'Logical_Router_Static_Route'],
];
const CHILDREN_GO = STAGES.length;
const PARENTS_GO = CHILDREN_GO + 1;
const POLICY_GOES = CHILDREN_GO + 2;

function stageOf(change: Change, sides: Sides, created: ReadonlySet<RowKey>): number {
  const stage = STAGES.findIndex((tables) => tables.includes(change.table));
  if (change.kind === 'delete') {
    if (change.table === 'ACL') return isParentWanted(change, sides) ? 0 : POLICY_GOES;
    if (stage === 0) return POLICY_GOES;
    const isRoot = stage === 2 || change.table === 'Load_Balancer' || change.table === 'DHCP_Options';
    return isRoot ? PARENTS_GO : CHILDREN_GO;
  }
  const parent = sides.desired.row(change.key)?.parent?.key;
  const isRuleOfNewSwitch = change.table === 'ACL' && parent?.startsWith('Logical_Switch/') === true;
  return isRuleOfNewSwitch && parent !== undefined && created.has(parent) ? 2 : stage;
}

function isParentWanted({ key }: Change, { desired, live }: Sides): boolean {
  return live.withKey(key).some((row) =>
    parentHolders(live, row).some(({ table, uuid }) => {
      const parent = live.identity(table, uuid)?.key;
      return parent !== undefined && desired.row(parent) !== undefined;
    }),
  );
}

/** Children without which their parent would not be what it is meant to be from the first moment. */
const INSEPARABLE: ReadonlySet<string> = new Set(['ACL', 'Gateway_Chassis', 'Load_Balancer_Health_Check']);

function bundleName(change: Change, stage: number, sides: Sides, created: ReadonlySet<RowKey>): string {
  if (stage === 0) return '';
  if (stage === POLICY_GOES) return '~';
  const parent = sides.desired.row(change.key)?.parent?.key;
  const isWithParent = parent !== undefined && INSEPARABLE.has(change.table) && created.has(parent);
  return isWithParent ? parent : change.key;
}

/** The names that a change takes or leaves: they are unique in the tables of ports (ovn-nb(5)), so that both go together. */
function namesOf(change: Change): readonly string[] {
  if (change.table !== 'Logical_Switch_Port' && change.table !== 'Logical_Router_Port') return [];
  const values =
    change.kind === 'update'
      ? change.columns.flatMap((one) => (one.column === 'name' ? [one.from, one.to] : []))
      : [change.columns['name']];
  return values.filter((value) => typeof value === 'string').map((name) => `${change.table} ${name}`);
}
