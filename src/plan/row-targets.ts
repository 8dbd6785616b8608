import { compareText } from '../lib/order.ts';
import type { LiveNb } from '../model/live.ts';
import type { NbRow, RowKey, UnitName } from '../model/nb.ts';
import type { Change } from '../model/plan.ts';
import { CHILD_COLUMNS } from './columns.ts';
import type { DesiredNb } from './desired.ts';
import { matchingRows } from './matching-rows.ts';

/** The units that must first create what this row hangs on or refers to; empty when all is there or in this unit. */
export function missingTargets(
  input: { readonly desired: DesiredNb; readonly live: LiveNb; readonly owner: string },
  row: NbRow,
): readonly string[] {
  const units = new Set<string>();
  for (const key of targetsOf(row)) {
    const target = input.desired.row(key);
    if (target === undefined || target.unit === row.unit) continue;
    if (matchingRows(input, target).length === 0) units.add(target.unit);
  }
  return [...units].toSorted(compareText);
}

/** True when nothing that other units do can make these changes of a unit other ones: none hangs on a row of theirs, or takes away one that may hold theirs. */
export function standAlone(changes: readonly Change[], desired: DesiredNb, unit: UnitName): boolean {
  return changes.every((change) => {
    if (change.kind === 'delete') return CHILD_COLUMNS[change.table] === undefined;
    const row = desired.row(change.key);
    if (row === undefined) return false;
    for (const key of targetsOf(row)) if (desired.row(key)?.unit !== unit) return false;
    return true;
  });
}

/** The rows that a row hangs on or refers to. */
export function* targetsOf(row: NbRow): Iterable<RowKey> {
  if (row.parent !== undefined) yield row.parent.key;
  for (const value of Object.values(row.columns)) {
    const members: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const member of members) {
      if (typeof member === 'object' && member !== null && 'ref' in member)
        yield (member as { ref: RowKey }).ref;
    }
  }
}
