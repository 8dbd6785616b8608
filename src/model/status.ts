import type { UnitName } from './nb.ts';
import type { Cause } from './plan.ts';

/** Ready: NB is as Git says. Reconciling: work is under way. Stalled: needs a person or a new commit. */
export type Condition = 'Ready' | 'Reconciling' | 'Stalled';

/** How far a commit has got: written to NB, translated by northd, installed by chassis. */
export interface Convergence {
  /** The NB_Global.nb_cfg of the transaction. */
  readonly nbCfg: number;
  /** northd has written SB for it (sb_cfg), ms since 1970. */
  readonly translatedAt: number | undefined;
  /** Chassis that have installed it; `total` 0 means that none exists, which is not success. */
  readonly chassis:
    { readonly caughtUp: number; readonly total: number; readonly behind: readonly string[] } | undefined;
}

/** The state of one unit. */
export interface UnitStatus {
  readonly unit: UnitName;
  readonly condition: Condition;
  /** PascalCase, e.g. `Applied`, `Deferred`, `NbRefused`. */
  readonly reason: string;
  readonly message: string;
  readonly sequence: number;
  readonly commit: string;
  /** ms since 1970. */
  readonly at: number;
  readonly convergence: Convergence | undefined;
}

/** The state of the source: which commit the network serves and which one Git is at. */
export interface SourceStatus {
  readonly url: string;
  readonly condition: Condition;
  readonly reason: string;
  readonly message: string;
  /** Accepted and in force. */
  readonly serving: { readonly sequence: number; readonly commit: string } | undefined;
  /** The tip seen last, accepted or not. */
  readonly seen: string | undefined;
  /** The last fetch that was complete, ms since 1970. */
  readonly fetchedAt: number | undefined;
  /** Printed diagnostics of the tip when it was not accepted. */
  readonly diagnostics: string;
}

/** A revision in the history. */
export interface RevisionRecord {
  readonly sequence: number;
  readonly commit: string;
  readonly subject: string;
  readonly author: string;
  readonly acceptedAt: number;
  /** What was written for it so far, one entry per transaction. */
  readonly receipts: readonly Receipt[];
}

/** What one transaction changed. */
export interface Receipt {
  readonly unit: UnitName;
  readonly sequence: number;
  readonly commit: string;
  readonly cause: Cause;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly nbCfg: number;
  /** From the moment the worker took the job to NB's reply, ms. */
  readonly tookMs: number;
  readonly at: number;
}

/** A change made behind our back, and what became of it. */
export interface DriftRecord {
  readonly unit: UnitName;
  /** Printed changes from the live to the desired state, one line each. */
  readonly changes: readonly string[];
  readonly outcome: 'corrected' | 'reported' | 'contested';
  /** When the replica saw it, ms since 1970. */
  readonly seenAt: number;
  /** When NB was right again; undefined when it was left. */
  readonly correctedAt: number | undefined;
}

/** What people are shown at a glance: the state of an installation, read at one moment. */
export interface StatusOverview {
  /** The installation. */
  readonly owner: string;
  readonly source: SourceStatus | undefined;
  readonly units: readonly UnitStatus[];
  /** The newest first. */
  readonly history: readonly RevisionRecord[];
  /** The newest first. */
  readonly drift: readonly DriftRecord[];
  /** When it was read, ms since 1970. */
  readonly readAt: number;
}
