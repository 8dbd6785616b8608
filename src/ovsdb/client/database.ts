import type { Operation } from '../protocol/operation.ts';
import type { TransactOutcome } from '../protocol/outcome.ts';
import type { DatabaseSchema } from '../protocol/schema.ts';
import type { Row, Uuid } from '../protocol/value.ts';
import type { Referrer } from '../replica/references.ts';
import type { RowChange } from '../replica/row-change.ts';
import type { Lock } from './locks.ts';

export type DatabaseState = 'connecting' | 'live' | 'closed';

/** A database that is followed: a replica that the server keeps up to date, and transactions on the original. */
export interface Database {
  readonly schema: DatabaseSchema;
  readonly state: DatabaseState;
  /** The replica's rows of a table. The map is live: it changes with the database. */
  rows(table: string): ReadonlyMap<Uuid, Row>;
  row(table: string, uuid: Uuid): Row | undefined;
  /** The columns in the replica that refer to a row. */
  referrers(uuid: Uuid): readonly Referrer[];
  /**
   * Calls back once an update of the server, that is once a transaction, after the replica has it; after a reconnect
   * once with what really differs. Returns what removes the listener.
   */
  onChange(listener: (changes: readonly RowChange[]) => void): () => void;
  onState(listener: (state: DatabaseState) => void): () => void;
  /** Runs a transaction (RFC 7047 4.1.3). When it is committed, the replica has it already. Never rejects. */
  transact(
    operations: readonly Operation[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<TransactOutcome>;
  /** Asks for a lock; resolves when the server has granted it or put it in the queue. */
  lock(name: string): Promise<Lock>;
  /**
   * Resolves when the replica is connected and holds everything that was committed at the server before the call.
   *
   * @throws OvsdbError `aborted` or `closed`.
   */
  resynced(signal?: AbortSignal): Promise<void>;
  /** Ends the connection; no timer and no socket is left when it resolves. */
  close(): Promise<void>;
}
