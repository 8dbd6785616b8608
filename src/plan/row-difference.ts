import type { LiveNb, LiveRow } from '../model/live.ts';
import { MARK, MARK_PREFIX } from '../model/marks.ts';
import type { NbRow, NbTable, NbValue } from '../model/nb.ts';
import type { ColumnChange } from '../model/plan.ts';
import { COLUMN_RULES } from './columns.ts';
import { type KeyOf, ownedValue, sameValue } from './compare.ts';
import { identityMarks, isMarkedExactly, isOfOtherForm } from './marks.ts';
import { parentHolders, parentKeys } from './parents.ts';

/** What a row is compared in. */
export interface Comparison {
  readonly live: LiveNb;
  /** The installation: whose marks count as ours. */
  readonly owner: string;
}

/** The pseudo-column under which a change of a row's parent is printed and carried. */
export const PARENT_COLUMN = '(parent)';

/** The columns in which a live row differs from what it should be, as far as they are ours; empty for nearly every row. */
export function columnChanges(input: Comparison, row: NbRow, live: LiveRow): readonly ColumnChange[] {
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
export function keysIn(input: Comparison, table: NbTable, column: string): KeyOf {
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

function parentChange(input: Comparison, row: NbRow, live: LiveRow): ColumnChange | undefined {
  if (row.parent === undefined) return undefined;
  const { key, column } = row.parent;
  const [holder, ...others] = parentHolders(input.live, live);
  const isRight = holder?.column === column && input.live.identity(holder.table, holder.uuid)?.key === key;
  if (isRight && others.length === 0) return undefined;
  return { column: PARENT_COLUMN, from: parentKeys(input.live, live), to: `${key} ${column}` };
}
