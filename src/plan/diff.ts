import { compareText } from '../lib/order.ts';
import type { NbRow, NbTable, NbValue, RowKey, UnitName } from '../model/nb.ts';
import type { Cause, Change, ColumnChange, Deferral, Plan, Reversibility } from '../model/plan.ts';
import { MARK, MARK_PREFIX } from '../model/marks.ts';
import { COLUMN_RULES } from './columns.ts';
import { type KeyOf, ownedValue, sameValue } from './compare.ts';
import type { DesiredNb } from './desired.ts';
import type { DriftPolicy } from './drift-policy.ts';
import { hazardsOf } from './hazards.ts';
import type { LiveNb, LiveRow } from '../model/live.ts';
import { identityMarks, isMarkedExactly, isOfOtherForm, rowHash } from './marks.ts';
import { removalDeferral } from './removal.ts';
import { ownUuid } from './row-uuid.ts';
import { parentHolders, parentKeys } from './parents.ts';

/** What a plan is made from. */
export interface DiffInput {
  readonly desired: DesiredNb;
  readonly live: LiveNb;
  readonly unit: UnitName;
  /** The installation: whose marks count as ours. */
  readonly owner: string;
  /** True when NB has had exactly this desired content of the unit before: every difference is then drift. */
  readonly settled: boolean;
  readonly policy: DriftPolicy;
  /** Shows people the whole way: what other units have to do first is taken as done. Never for writing. */
  readonly isPreview: boolean;
}

/** The pseudo-column under which a change of a row's parent is printed and carried. */
export const PARENT_COLUMN = '(parent)';

/**
 * Compares the rows of one unit, column by column and only where they are ours, and says what has to change. Pure:
 * the same input gives the same plan in the same order. A plan applied to the database it was made from leaves an
 * empty plan.
 */
export function diff(input: DiffInput): Plan {
  const changes: Change[] = [];
  const deferred: Deferral[] = [];
  const matched = new Set<string>();
  for (const row of input.desired.rowsOf(input.unit)) {
    const found = matchingRows(input, row);
    for (const live of found) matched.add(live.uuid);
    const [kept, ...duplicates] = found;
    if (kept === undefined) collectCreate(input, row, changes, deferred);
    else {
      collectUpdate(input, row, kept, changes, deferred);
      for (const extra of duplicates) changes.push(deleteChange(input, row.key, extra, 'duplicate'));
    }
  }
  collectDeletes(input, matched, changes, deferred);
  return arrange(input, changes, deferred);
}

/** The rows that are `row` in the database: by their key, or by the UUID we gave it when its marks were wiped out. */
export function matchingRows(input: Pick<DiffInput, 'live' | 'owner'>, row: NbRow): readonly LiveRow[] {
  const found = input.live.withKey(row.key).filter((live) => live.table === row.table);
  if (found.length > 1) {
    const own = ownUuid(input.owner, row);
    return found.toSorted(
      (a, b) => Number(b.uuid === own) - Number(a.uuid === own) || compareText(a.uuid, b.uuid),
    );
  }
  if (found.length === 1) return found;
  const stripped = input.live.row(row.table, ownUuid(input.owner, row));
  return stripped === undefined ? [] : [stripped];
}

function collectCreate(input: DiffInput, row: NbRow, changes: Change[], deferred: Deferral[]): void {
  const missing = missingTargets(input, row);
  if (missing.length > 0) {
    deferred.push({ key: row.key, reason: 'parent-missing', waitsFor: missing });
    return;
  }
  const cause: Cause = input.settled ? 'drift' : 'revision';
  const { key, table, columns } = row;
  changes.push({ kind: 'create', key, table, cause, reversibility: 'reversible', columns });
}

function collectUpdate(
  input: DiffInput,
  row: NbRow,
  live: LiveRow,
  changes: Change[],
  deferred: Deferral[],
): void {
  const columns = columnChanges(input, row, live);
  if (columns.length === 0) return;
  const missing = missingTargets(input, row);
  if (missing.length > 0) {
    deferred.push({ key: row.key, reason: 'parent-missing', waitsFor: missing });
    return;
  }
  const ids = live.columns['external_ids'];
  const isDrift = ids instanceof Map && ids.get(MARK.hash) === rowHash(row);
  changes.push({
    kind: 'update',
    key: row.key,
    table: row.table,
    cause: isDrift || input.settled ? 'drift' : 'revision',
    reversibility: updateReversibility(columns),
    columns,
  });
}

function columnChanges(input: DiffInput, row: NbRow, live: LiveRow): readonly ColumnChange[] {
  const changes: ColumnChange[] = [];
  for (const [column, rule] of COLUMN_RULES[row.table]) {
    const to: NbValue | undefined = row.columns[column];
    // Most columns are absent on both sides or one and the same text.
    if (live.columns[column] === to) continue;
    const from = ownedValue(rule, live.columns[column], to, keysIn(input, row.table, column));
    if (!sameValue(rule, from, to)) changes.push({ column, from, to });
  }
  const marks = markChange(input.owner, row, live);
  if (marks !== undefined) changes.push(marks);
  const parent = parentChange(input, row, live);
  if (parent !== undefined) changes.push(parent);
  return changes;
}

/** Reads the references of a column as keys of ours. */
function keysIn(input: DiffInput, table: NbTable, column: string): KeyOf {
  const referred = referredTable(table, column);
  return (uuid) => input.live.identity(referred, uuid)?.key;
}

/** Table that a reference column points to (ovn-nb(5)). */
function referredTable(table: NbTable, column: string): string {
  if (column === 'load_balancer') return 'Load_Balancer';
  if (column === 'gateway_port') return 'Logical_Router_Port';
  if (table === 'Port_Group') return 'Logical_Switch_Port';
  return 'DHCP_Options';
}

function markChange(owner: string, row: NbRow, live: LiveRow): ColumnChange | undefined {
  const ids = live.columns['external_ids'];
  if (ids instanceof Map && isMarkedExactly(owner, row, ids)) return undefined;
  const to = identityMarks(owner, row);
  const from: Record<string, string> = {};
  let differs = false;
  if (ids instanceof Map) {
    for (const [name, value] of ids as ReadonlyMap<string, string>) {
      const isBlame = name === MARK.source || name === MARK.commit;
      const isOwned = name.startsWith(MARK_PREFIX) || name in to;
      if (!isOwned || isBlame) continue;
      from[name] = value;
      if (to[name] !== value && !(name === MARK.hash && isOfOtherForm(value))) differs = true;
    }
  }
  if (Object.keys(from).length !== Object.keys(to).length) differs = true;
  return differs ? { column: 'external_ids', from, to } : undefined;
}

function parentChange(input: DiffInput, row: NbRow, live: LiveRow): ColumnChange | undefined {
  if (row.parent === undefined) return undefined;
  const { key, column } = row.parent;
  const [holder, ...others] = parentHolders(input.live, live);
  const isRight = holder?.column === column && input.live.identity(holder.table, holder.uuid)?.key === key;
  if (isRight && others.length === 0) return undefined;
  return { column: PARENT_COLUMN, from: parentKeys(input.live, live), to: `${key} ${column}` };
}

/** The units that must first create what this row hangs on or refers to; empty when all is there or in this unit. */
function missingTargets(input: DiffInput, row: NbRow): readonly string[] {
  if (input.isPreview) return [];
  const units = new Set<string>();
  for (const key of targetsOf(row)) {
    const target = input.desired.row(key);
    if (target === undefined || target.unit === input.unit) continue;
    if (matchingRows(input, target).length === 0) units.add(target.unit);
  }
  return [...units].toSorted(compareText);
}

function* targetsOf(row: NbRow): Iterable<RowKey> {
  if (row.parent !== undefined) yield row.parent.key;
  for (const value of Object.values(row.columns)) {
    const members: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const member of members) {
      if (typeof member === 'object' && member !== null && 'ref' in member)
        yield (member as { ref: RowKey }).ref;
    }
  }
}

function collectDeletes(
  input: DiffInput,
  matched: ReadonlySet<string>,
  changes: Change[],
  deferred: Deferral[],
): void {
  for (const key of input.live.keysOf(input.unit)) {
    if (input.desired.row(key) !== undefined) continue;
    for (const live of input.live.withKey(key)) {
      if (matched.has(live.uuid) || input.live.identity(live.table, live.uuid)?.unit !== input.unit) continue;
      const deferral = removalDeferral(input.live, input.unit, key, live);
      const isWaiting = deferral?.reason === 'referenced-by-unit' && !input.isPreview;
      if (deferral !== undefined && (isWaiting || deferral.reason !== 'referenced-by-unit'))
        deferred.push(deferral);
      else changes.push(deleteChange(input, key, live, 'unwanted'));
    }
  }
}

function deleteChange(
  input: DiffInput,
  key: RowKey,
  live: LiveRow,
  reason: 'unwanted' | 'duplicate',
): Change {
  const table = live.table as NbTable;
  const cause: Cause = input.settled || reason === 'duplicate' ? 'drift' : 'revision';
  const reversibility: Reversibility =
    table === 'Logical_Switch_Port' ? 'reversible-with-impact' : 'reversible';
  const columns: Record<string, NbValue> = {};
  for (const [column, rule] of COLUMN_RULES[table]) {
    const value = ownedValue(rule, live.columns[column], undefined, keysIn(input, table, column));
    if (value !== undefined && value !== '' && value !== false) columns[column] = value;
  }
  return { kind: 'delete', key, table, cause, reversibility, reason, columns };
}

/** Columns whose change interrupts traffic for a moment, even when it is taken back. */
const IMPACT: ReadonlySet<string> = new Set([
  'addresses',
  'networks',
  'mac',
  'cidr',
  PARENT_COLUMN,
  'external_ip',
  'logical_ip',
]);

function updateReversibility(columns: readonly ColumnChange[]): Reversibility {
  return columns.some((change) => IMPACT.has(change.column)) ? 'reversible-with-impact' : 'reversible';
}

const RANK: Readonly<Record<Change['kind'], number>> = { create: 0, update: 1, delete: 2 };

function arrange(input: DiffInput, changes: readonly Change[], deferred: readonly Deferral[]): Plan {
  // A unit is written as a whole: while a row of it has nothing to hang on, none of it is written.
  const isComplete = !deferred.some((wait) => wait.reason === 'parent-missing');
  const ordered = (isComplete ? changes : []).toSorted(
    (a, b) => RANK[a.kind] - RANK[b.kind] || compareText(a.key, b.key),
  );
  const { applied, reported } = underPolicy(input, ordered);
  return {
    unit: input.unit,
    changes: applied,
    deferred: deferred.toSorted((a, b) => compareText(a.key, b.key)),
    reported,
    hazards: hazardsOf(applied),
  };
}

/**
 * Sorts drift by policy. A change that hangs on a row which the policy leaves missing can't be made either: it is
 * reported with it, so that the rest of the unit can be put right.
 */
function underPolicy(
  input: DiffInput,
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

function hangsOn(input: DiffInput, change: Change, missing: ReadonlySet<RowKey>): boolean {
  const row = change.kind === 'delete' || missing.size === 0 ? undefined : input.desired.row(change.key);
  if (row === undefined) return false;
  for (const key of targetsOf(row)) if (missing.has(key)) return true;
  return false;
}
