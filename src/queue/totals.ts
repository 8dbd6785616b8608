import type { Cause } from '../model/plan.ts';
import type { DriftRecord, Receipt } from '../model/status.ts';
import { COMMIT_BOUNDS_MS, type RowChange, type Totals } from '../model/totals.ts';

/** Fields of the hash of sums and by how much each grows. */
export type Increments = readonly (readonly [field: string, by: number])[];

/** By how much a transaction makes the sums grow. */
export function receiptIncrements(receipt: Receipt): Increments {
  const { cause, created, updated, deleted } = receipt;
  // A clock that was set back must not make a sum shrink.
  const tookMs = Math.max(0, Math.round(receipt.tookMs));
  const increments: Increments = [
    [rowField(cause, 'created'), created],
    [rowField(cause, 'updated'), updated],
    [rowField(cause, 'deleted'), deleted],
    [commitField(COMMIT_BOUNDS_MS.findIndex((bound) => tookMs <= bound)), 1],
    ['commit-ms', tookMs],
  ];
  return increments.filter(([, by]) => by > 0);
}

/** By how much a drift record makes the sums grow. */
export function driftIncrements(drift: DriftRecord): Increments {
  return [[driftField(drift.outcome), 1]];
}

/** Reads the hash of sums, whoever wrote it: what is no count is zero. */
export function readTotals(hash: Readonly<Record<string, string>>): Totals {
  const count = (field: string): number => {
    const text = hash[field] ?? '';
    return /^[0-9]{1,15}$/.test(text) ? Number(text) : 0;
  };
  const rows = (cause: Cause): Totals['rows'][Cause] => ({
    created: count(rowField(cause, 'created')),
    updated: count(rowField(cause, 'updated')),
    deleted: count(rowField(cause, 'deleted')),
  });
  return {
    rows: { revision: rows('revision'), drift: rows('drift') },
    drift: {
      corrected: count(driftField('corrected')),
      reported: count(driftField('reported')),
      contested: count(driftField('contested')),
    },
    commits: [...COMMIT_BOUNDS_MS.keys(), -1].map((index) => count(commitField(index))),
    commitMs: count('commit-ms'),
  };
}

function rowField(cause: Cause, change: RowChange): string {
  return `rows:${cause}:${change}`;
}

function driftField(outcome: DriftRecord['outcome']): string {
  return `drift:${outcome}`;
}

/** The field of a class of times; -1 is the class above all bounds. */
function commitField(index: number): string {
  return `commits:${COMMIT_BOUNDS_MS[index] ?? 'longer'}`;
}
