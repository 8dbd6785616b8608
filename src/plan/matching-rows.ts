import { compareText } from '../lib/order.ts';
import type { LiveNb, LiveRow } from '../model/live.ts';
import type { NbRow } from '../model/nb.ts';
import { ownUuid } from './row-uuid.ts';

/** The rows that are `row` in the database: by their key, or by the UUID we gave it when its marks were wiped out. */
export function matchingRows(
  input: { readonly live: LiveNb; readonly owner: string },
  row: NbRow,
): readonly LiveRow[] {
  const keyed = input.live.withKey(row.key);
  const found = keyed.every((live) => live.table === row.table)
    ? keyed
    : keyed.filter((live) => live.table === row.table);
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
