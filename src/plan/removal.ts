import { sortedSet } from '../lib/order.ts';
import type { RowKey, UnitName } from '../model/nb.ts';
import type { Deferral } from '../model/plan.ts';
import { CHILD_COLUMNS } from './columns.ts';
import type { LiveAtom, LiveNb, LiveRow, LiveValue } from '../model/live.ts';

/**
 * Why an unwanted row can't go yet, or undefined when it can. A row that still has children of another unit waits for
 * that unit, and one that holds somebody else's rows stays: removing it would remove theirs with it.
 */
export function removalDeferral(
  live: LiveNb,
  unit: UnitName,
  key: RowKey,
  row: LiveRow,
): Deferral | undefined {
  const units = new Set<string>();
  const foreign: string[] = [];
  for (const [column, table] of Object.entries(CHILD_COLUMNS[row.table] ?? {})) {
    for (const uuid of members(row.columns[column])) {
      const child = live.identity(table, uuid);
      if (child === undefined) foreign.push(`${table} ${uuid}`);
      else if (child.unit !== unit) units.add(child.unit);
    }
  }
  if (foreign.length > 0) return { key, reason: 'holds-foreign-rows', waitsFor: foreign };
  if (units.size > 0) return { key, reason: 'referenced-by-unit', waitsFor: sortedSet(units) };
  return undefined;
}

function members(value: LiveValue): readonly string[] {
  if (value === undefined || value instanceof Map) return [];
  return (Array.isArray(value) ? (value as readonly LiveAtom[]) : [value as LiveAtom]).map(String);
}
