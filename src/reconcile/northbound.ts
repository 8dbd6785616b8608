import type { LiveNb } from '../model/live.ts';
import type { RowKey, UnitName } from '../model/nb.ts';
import type { Convergence } from '../model/status.ts';
import type { DatabaseSchema, Operation } from '../ovsdb/index.ts';

/** The live Northbound database, as the use cases need it. */
export interface Northbound {
  /** Our rows as the replica has them now. */
  readonly live: LiveRowsOfOurs;
  readonly schema: DatabaseSchema;
  /** True while the replica follows the server. */
  readonly isLive: boolean;
  /** Resolves when the replica is in step with the server. */
  resynced(signal: AbortSignal): Promise<void>;
  /** UUID of the one row of NB_Global; undefined while there is none. */
  readonly globalUuid: string | undefined;
  /** A value of NB_Global.external_ids: where the record of revisions is kept (src/model/fence.ts). */
  record(key: string): string | undefined;
  /** Commits one atomic transaction. */
  transact(transaction: NbTransaction, signal: AbortSignal): Promise<CommitOutcome>;
  /** How far a commit has got by now. */
  convergence(nbCfg: number): Convergence;
  /** NB_Global.nb_cfg, which every commit bumps, and how far ovn-northd has followed. */
  readonly progress: { readonly nbCfg: number; readonly sbCfg: number };
  /** True when the Southbound is known, so that chassis can be asked. */
  readonly provesChassis: boolean;
  /** Calls back whenever northd or a chassis has got further. */
  onProgress(listener: () => void): () => void;
  /** Calls back with the units whose rows changed, whoever changed them. */
  onUnits(listener: (units: ReadonlySet<UnitName>) => void): () => void;
  close(): Promise<void>;
}

/** Our rows, and news of them. */
export interface LiveRowsOfOurs extends LiveNb {
  /** The units that have rows in the database. */
  units(): Iterable<UnitName>;
  /** How many rows are ours. */
  readonly size: number;
  /**
   * Calls back with the key of every row that may compare differently than before, once the replica has it all; with
   * undefined when a row that is not ours has changed, or one has become another row's.
   */
  onTouch(listener: (key: RowKey | undefined) => void): () => void;
}

/** Operations to be committed together (src/plan/transaction.ts writes them). */
export interface NbTransaction {
  readonly operations: readonly Operation[];
  /** Index of the select that answers with the nb_cfg of this transaction. */
  readonly nbCfgIndex: number | undefined;
  /** The row that an operation is about, for errors. */
  keyOf(operation: number): RowKey | undefined;
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
