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
  const record = (
    outcome: DriftRecord['outcome'],
    lines: readonly string[],
    at: number | undefined,
  ): void => {
    records.push({ unit: plan.unit, changes: lines, outcome, seenAt, correctedAt: at });
  };
  const corrected = linesOf(plan.changes.filter((change) => change.cause === 'drift'));
  if (correctedAt !== undefined && corrected.length > 0) record('corrected', corrected, correctedAt);
  const contested = linesOf(plan.reported.filter((change) => corrections.isContested(change.key)));
  const reported = linesOf(plan.reported.filter((change) => !corrections.isContested(change.key)));
  // What is left alone is found again at every look; it is told once.
  if (!corrections.isNews(plan.unit, [...contested, '', ...reported].join('\n'))) return records;
  if (contested.length > 0) record('contested', contested, undefined);
  if (reported.length > 0) record('reported', reported, undefined);
  return records;
}

function linesOf(changes: readonly Change[]): readonly string[] {
  return changes.flatMap((change) => printChange(change).map((line) => line.trim()));
}
