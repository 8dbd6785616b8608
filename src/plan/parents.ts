import { compareText } from '../lib/order.ts';
import { CHILD_COLUMNS } from './columns.ts';
import type { Holder, LiveNb, LiveRow } from '../model/live.ts';

/** The columns of parents that hold a row as their child. */
export function parentHolders(live: LiveNb, row: Pick<LiveRow, 'uuid'>): readonly Holder[] {
  return live
    .holders(row.uuid)
    .filter((holder) => CHILD_COLUMNS[holder.table]?.[holder.column] !== undefined);
}

/** The parents of a row as `KEY COLUMN`, sorted; a parent that is not ours is given by its UUID. */
export function parentKeys(live: LiveNb, row: Pick<LiveRow, 'uuid'>): readonly string[] {
  return parentHolders(live, row)
    .map((holder) => `${live.identity(holder.table, holder.uuid)?.key ?? holder.uuid} ${holder.column}`)
    .toSorted(compareText);
}
