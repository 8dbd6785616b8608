import type { NbRow } from '../model/nb.ts';

/**
 * What two lists of rows in canonical order don't share. Rows are told apart as objects: one that was compiled afresh
 * counts as changed, whatever it says.
 */
export function changedRows(
  before: readonly NbRow[],
  after: readonly NbRow[],
): { readonly gone: readonly NbRow[]; readonly come: readonly NbRow[] } {
  const gone: NbRow[] = [];
  const come: NbRow[] = [];
  let [left, right] = [0, 0];
  for (;;) {
    const [old, next] = [before[left], after[right]];
    if (old === next) {
      if (old === undefined) return { gone, come };
      left += 1;
      right += 1;
    } else if (next === undefined || (old !== undefined && old.key < next.key)) {
      if (old !== undefined) gone.push(old);
      left += 1;
    } else if (old === undefined || old.key > next.key) {
      come.push(next);
      right += 1;
    } else {
      gone.push(old);
      come.push(next);
      left += 1;
      right += 1;
    }
  }
}
