import type { Change, Plan } from '../model/plan.ts';
import type { DriftRecord } from '../model/status.ts';
import { printChange } from '../plan/print.ts';
import type { Corrections } from './corrections.ts';

/** What a plan found to be changed behind our back, for the record. `correctedAt` is undefined when nothing was written. */
export function driftRecords(
  plan: Plan,
  corrections: Corrections,
  seenAt: number,
  correctedAt: number | undefined,
): readonly DriftRecord[] {
  const records: DriftRecord[] = [];
  const add = (outcome: DriftRecord['outcome'], changes: readonly Change[], at: number | undefined): void => {
    if (changes.length === 0) return;
    const lines = changes.flatMap((change) => printChange(change).map((line) => line.trim()));
    records.push({ unit: plan.unit, changes: lines, outcome, seenAt, correctedAt: at });
  };
  if (correctedAt !== undefined) {
    add(
      'corrected',
      plan.changes.filter((change) => change.cause === 'drift'),
      correctedAt,
    );
  }
  add(
    'contested',
    plan.reported.filter((change) => corrections.isContested(change.key)),
    undefined,
  );
  add(
    'reported',
    plan.reported.filter((change) => !corrections.isContested(change.key)),
    undefined,
  );
  return records;
}
