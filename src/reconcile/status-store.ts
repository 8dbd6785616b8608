import type { UnitName } from '../model/nb.ts';
import type { DriftRecord, Receipt, RevisionRecord, SourceStatus, UnitStatus } from '../model/status.ts';
import type { Totals } from '../model/totals.ts';

/** What people are shown. Nothing here is needed for correctness: a lost store fills again by itself. */
export interface StatusStore {
  writeSource(status: SourceStatus): Promise<void>;
  source(): Promise<SourceStatus | undefined>;
  /** False when the store does not take it now; then it has to be written again, or an older one is shown for ever. */
  writeUnit(status: UnitStatus): Promise<boolean>;
  /** False as for writeUnit(). */
  removeUnits(units: readonly UnitName[]): Promise<boolean>;
  unit(unit: UnitName): Promise<UnitStatus | undefined>;
  units(): Promise<readonly UnitStatus[]>;
  /** Adds a revision to the history (kept: the newest 1,000). */
  addRevision(revision: Omit<RevisionRecord, 'receipts'>): Promise<void>;
  addReceipt(receipt: Receipt): Promise<void>;
  /** The newest first. */
  history(limit: number): Promise<readonly RevisionRecord[]>;
  addDrift(drift: DriftRecord): Promise<void>;
  /** The newest first. */
  drift(limit: number): Promise<readonly DriftRecord[]>;
  /** What all transactions and drift records come to, also those that are no longer kept. */
  totals(): Promise<Totals>;
  /** Lets one commit pass a hold (rewound history, delete budget), once a person has looked at it. */
  allow(commit: string): Promise<void>;
  isAllowed(commit: string): Promise<boolean>;
}
