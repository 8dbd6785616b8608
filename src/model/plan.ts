import type { NbTable, NbValue, RowKey, UnitName } from './nb.ts';

/** Why a row has to change: the revision asks for it, or somebody changed NB behind our back. */
export type Cause = 'revision' | 'drift';

/** What undoing a change costs: nothing, an interruption, or something that can't be brought back. */
export type Reversibility = 'reversible' | 'reversible-with-impact' | 'lossy';

/** One column of an update: before and after in the desired state's vocabulary (references as row keys). */
export interface ColumnChange {
  readonly column: string;
  readonly from: NbValue | undefined;
  readonly to: NbValue | undefined;
}

interface ChangeBase {
  readonly key: RowKey;
  readonly table: NbTable;
  readonly cause: Cause;
  readonly reversibility: Reversibility;
}

/** One row that has to change. */
export type Change =
  | (ChangeBase & { readonly kind: 'create'; readonly columns: Readonly<Record<string, NbValue>> })
  | (ChangeBase & { readonly kind: 'update'; readonly columns: readonly ColumnChange[] })
  | (ChangeBase & {
      readonly kind: 'delete';
      readonly reason: 'unwanted' | 'duplicate';
      /** What the row holds now, as far as it is ours. */
      readonly columns: Readonly<Record<string, NbValue>>;
    });

/** A coded warning on a plan; src/plan/hazards.ts lists them. */
export interface Hazard {
  readonly code: string;
  readonly key: RowKey;
  readonly message: string;
}

/** A change that can't be made in this transaction, and what it waits for. */
export interface Deferral {
  readonly key: RowKey;
  readonly reason: 'parent-missing' | 'referenced-by-unit' | 'holds-foreign-rows';
  /** The units to come first, or the foreign rows (`Table UUID`) in the way. */
  readonly waitsFor: readonly string[];
}

/** What turns the live rows of one unit into the desired ones. */
export interface Plan {
  readonly unit: UnitName;
  /** In the order in which they are printed: creates, updates, deletes, each by key. */
  readonly changes: readonly Change[];
  readonly deferred: readonly Deferral[];
  /** Differences that the drift policy leaves alone (report) in this plan. */
  readonly reported: readonly Change[];
  readonly hazards: readonly Hazard[];
}
