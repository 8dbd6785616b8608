import { appliedKey, parseApplied, UNSETTLED } from '../../src/model/fence.ts';
import { MARK } from '../../src/model/marks.ts';
import type { UnitName } from '../../src/model/nb.ts';
import type { NorthboundDatabase } from '../../src/nb/northbound.ts';
import { unitHashOfMarks } from '../../src/plan/unit-hash.ts';

/**
 * Watches every update of a Northbound and notes each moment at which the rows of a unit are not exactly those of the
 * revision that its record names: a state between two revisions.
 */
export function watchAtomicity(
  northbound: NorthboundDatabase,
  owner: string,
): { readonly torn: string[]; readonly updates: () => number } {
  const torn: string[] = [];
  let count = 0;
  northbound.onUnits((units) => {
    for (const unit of units) {
      count += 1;
      const found = unitFingerprint(northbound, unit);
      const record = parseApplied(northbound.record(appliedKey(owner, unit)));
      const isGone = record === undefined && [...northbound.live.keysOf(unit)].length === 0;
      // Rows that wait for another unit are still to be deleted, and the record says so.
      if (!isGone && record?.hash !== UNSETTLED && record?.hash !== found)
        torn.push(`${unit} at ${record?.sequence ?? 'none'}: ${found}`);
    }
  });
  return { torn, updates: () => count };
}

/** The fingerprint of a unit's rows as they lie in the database, computed from their marks. */
function unitFingerprint(northbound: NorthboundDatabase, unit: UnitName): string {
  return unitHashOfMarks(
    [...northbound.live.keysOf(unit)].flatMap((key) =>
      northbound.live.withKey(key).map((row) => {
        const ids = row.columns['external_ids'];
        return [key, ids instanceof Map ? String(ids.get(MARK.hash)) : ''] as const;
      }),
    ),
  );
}
