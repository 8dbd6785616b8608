import { compareText } from '../lib/order.ts';
import type { LiveNb, LiveRow } from '../model/live.ts';
import { MARK } from '../model/marks.ts';
import type { NbRow, NbTable, NbValue, RowKey, UnitName } from '../model/nb.ts';
import type { Cause, Change, ColumnChange, Deferral, Plan, Reversibility } from '../model/plan.ts';
import { COLUMN_RULES } from './columns.ts';
import { ownedValue } from './compare.ts';
import type { DesiredNb } from './desired.ts';
import type { DriftPolicy } from './drift-policy.ts';
import { hazardsOf } from './hazards.ts';
import { rowHash } from './marks.ts';
import { matchingRows } from './matching-rows.ts';
import { removalDeferral } from './removal.ts';
import { columnChanges, keysIn, PARENT_COLUMN } from './row-difference.ts';
import { missingTargets } from './row-targets.ts';
import { underPolicy } from './under-policy.ts';

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

/**
 * Compares the rows of one unit, column by column and only where they are ours, and says what has to change. Pure:
 * the same input gives the same plan in the same order. A plan applied to the database it was made from leaves an
 * empty plan.
 */
export function diff(input: DiffInput): Plan {
  return diffKeys(input, unitKeys(input)).plan;
}

/** The keys of all rows that a unit has or should have. */
export function unitKeys({ desired, live, unit }: DiffInput): ReadonlySet<RowKey> {
  const keys = new Set<RowKey>();
  for (const row of desired.rowsOf(unit)) keys.add(row.key);
  for (const key of live.keysOf(unit)) keys.add(key);
  return keys;
}

/**
 * The same for some rows of the unit, as if all others were as they should be; says also which of them are not, or not
 * for this unit to say: `open`.
 */
export function diffKeys(
  input: DiffInput,
  keys: Iterable<RowKey>,
): { readonly plan: Plan; readonly open: Set<RowKey> } {
  const found: Findings = { changes: [], deferred: [], matched: new Set(), open: new Set() };
  const unwanted: RowKey[] = [];
  for (const key of keys) {
    const row = input.desired.row(key);
    if (row?.unit === input.unit) collectRow(input, row, found);
    else if (row === undefined) unwanted.push(key);
    else if (isInUnit(input, key)) found.open.add(key);
  }
  for (const key of unwanted) collectDeletes(input, key, found);
  return { plan: arrange(input, found.changes, found.deferred), open: found.open };
}

interface Findings {
  readonly changes: Change[];
  readonly deferred: Deferral[];
  /** UUIDs of the rows that are some wanted row. */
  readonly matched: Set<string>;
  readonly open: Set<RowKey>;
}

function isInUnit({ live, unit }: DiffInput, key: RowKey): boolean {
  return live.withKey(key).some((row) => live.identity(row.table, row.uuid)?.unit === unit);
}

function collectRow(input: DiffInput, row: NbRow, found: Findings): void {
  const rows = matchingRows(input, row);
  const [kept] = rows;
  if (kept === undefined) {
    collectCreate(input, row, found);
    return;
  }
  const columns = columnChanges(input, row, kept);
  if (columns.length === 0 && rows.length === 1) return;
  for (const live of rows) found.matched.add(live.uuid);
  found.open.add(row.key);
  if (columns.length > 0) collectUpdate(input, row, kept, columns, found);
  for (const extra of rows.slice(1)) found.changes.push(deleteChange(input, row.key, extra, 'duplicate'));
}

function collectCreate(input: DiffInput, row: NbRow, found: Findings): void {
  found.open.add(row.key);
  if (isDeferred(input, row, found)) return;
  const cause: Cause = input.settled ? 'drift' : 'revision';
  const { key, table, columns } = row;
  found.changes.push({ kind: 'create', key, table, cause, reversibility: 'reversible', columns });
}

function collectUpdate(
  input: DiffInput,
  row: NbRow,
  live: LiveRow,
  columns: readonly ColumnChange[],
  found: Findings,
): void {
  if (isDeferred(input, row, found)) return;
  const ids = live.columns['external_ids'];
  const isDrift = ids instanceof Map && ids.get(MARK.hash) === rowHash(row);
  found.changes.push({
    kind: 'update',
    key: row.key,
    table: row.table,
    cause: isDrift || input.settled ? 'drift' : 'revision',
    reversibility: updateReversibility(columns),
    columns,
  });
}

/** A row that hangs on a row of another unit which is not there yet has to wait. */
function isDeferred(input: DiffInput, row: NbRow, found: Findings): boolean {
  const missing = input.isPreview ? [] : missingTargets(input, row);
  if (missing.length > 0) found.deferred.push({ key: row.key, reason: 'parent-missing', waitsFor: missing });
  return missing.length > 0;
}

function collectDeletes(input: DiffInput, key: RowKey, found: Findings): void {
  for (const live of input.live.withKey(key)) {
    if (input.live.identity(live.table, live.uuid)?.unit !== input.unit) continue;
    found.open.add(key);
    if (found.matched.has(live.uuid)) continue;
    const deferral = removalDeferral(input.live, input.unit, key, live);
    const isWaiting = deferral?.reason === 'referenced-by-unit' && !input.isPreview;
    if (deferral !== undefined && (isWaiting || deferral.reason !== 'referenced-by-unit'))
      found.deferred.push(deferral);
    else found.changes.push(deleteChange(input, key, live, 'unwanted'));
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
