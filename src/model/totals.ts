import type { Cause } from './plan.ts';
import type { DriftRecord, Receipt } from './status.ts';

/** Upper bounds of the classes in which the times of transactions are counted, ms. */
export const COMMIT_BOUNDS_MS: readonly number[] = [10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];

/** What a transaction does to rows. */
export type RowChange = keyof Pick<Receipt, 'created' | 'updated' | 'deleted'>;

/** Sums that only grow, over all workers; they start at zero when the store was lost. */
export interface Totals {
  readonly rows: Readonly<Record<Cause, Readonly<Record<RowChange, number>>>>;
  readonly drift: Readonly<Record<DriftRecord['outcome'], number>>;
  /** Transactions by the time they took: one count for each of COMMIT_BOUNDS_MS, then those that took longer. */
  readonly commits: readonly number[];
  /** The time of all transactions together, ms. */
  readonly commitMs: number;
}
