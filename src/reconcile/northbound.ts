import type { UnitName } from '../model/nb.ts';
import type { Plan } from '../model/plan.ts';
import type { AcceptedRevision } from '../model/revision.ts';
import type { Convergence } from '../model/status.ts';
import type { DesiredNb } from '../plan/desired.ts';
import type { AppliedRecord } from '../plan/fence.ts';
import type { LiveNb } from '../plan/live.ts';

/** The live Northbound database, as the use cases need it. */
export interface Northbound {
  /** Our rows as the replica has them now. */
  readonly live: LiveNb & { units(): Iterable<UnitName>; readonly size: number };
  /** True while the replica follows the server. */
  readonly isLive: boolean;
  /** Resolves when the replica is in step with the server. */
  resynced(signal: AbortSignal): Promise<void>;
  /** The revision that is in force, kept in NB itself. */
  accepted(): AcceptedRevision | undefined;
  /** What was last written to a unit. */
  applied(unit: UnitName): AppliedRecord | undefined;
  /** Makes a revision the one in force, if `previous` still is. */
  accept(
    next: AcceptedRevision,
    previous: AcceptedRevision | undefined,
    signal: AbortSignal,
  ): Promise<CommitOutcome>;
  /** Writes one unit's plan as one transaction. */
  commit(request: CommitRequest, signal: AbortSignal): Promise<CommitOutcome>;
  /** How far a commit has got by now. */
  convergence(nbCfg: number): Convergence;
  /** Waits until northd has translated a commit and, where there are chassis, all of them have installed it. */
  converged(
    nbCfg: number,
    signal: AbortSignal,
    onProgress: (progress: Convergence) => void,
  ): Promise<Convergence>;
  /** Calls back with the units whose rows changed, whoever changed them. */
  onUnits(listener: (units: ReadonlySet<UnitName>) => void): () => void;
  close(): Promise<void>;
}

/** A plan to be written, and the revision that it was made for. */
export interface CommitRequest {
  readonly plan: Plan;
  readonly desired: DesiredNb;
  readonly accepted: AcceptedRevision;
  readonly author: string;
}

/**
 * What became of a transaction. conflict: somebody was faster, plan again. unavailable: nothing was sent or the reply
 * is unknown; the replica will show what is true. refused: the database says no, and will say so again.
 */
export type CommitOutcome =
  | { readonly kind: 'committed'; readonly nbCfg: number }
  | { readonly kind: 'conflict'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };
