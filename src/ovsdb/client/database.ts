import type { Operation } from '../protocol/operation.ts';
import type { TransactOutcome } from '../protocol/outcome.ts';
import type { DatabaseSchema } from '../protocol/schema.ts';
import type { Row, Uuid } from '../protocol/value.ts';
import type { Referrer } from '../replica/references.ts';
import type { Snapshot } from '../replica/replica.ts';
import type { RowChange } from '../replica/row-change.ts';
import type { IndexBy, RowIndex } from '../replica/row-index.ts';
import type { WantedTables } from '../replica/selection.ts';
import type { Lock } from './locks.ts';

/** `connecting` until the first copy, and whenever no server is followed. */
export type DatabaseState = 'connecting' | 'live' | 'closed';

/** How a transaction is run. */
export interface TransactOptions {
  /** Commit only what is on the disk of the server, or of most members of its cluster (RFC 7047 5.2.7). */
  readonly durable?: boolean;
  /** Gives up waiting; a transaction that was sent may still be committed. */
  readonly signal?: AbortSignal;
}

/** A database that is followed: a replica that the server keeps up to date, and transactions on the original. */
export interface Database {
  /** The schema of the replica: the server's, as far as it was seen. */
  readonly schema: DatabaseSchema;
  /** `live` while the replica is in step with a server; it is kept, and may be old, in the other states. */
  readonly state: DatabaseState;
  /** Why the database is not live: the newest thing that stood in the way. Undefined while it is live. */
  readonly trouble: string | undefined;
  /**
   * The replica's rows of a table. The map is live: it changes with the database. After `onSchema` and `want` ask for it
   * anew.
   */
  rows(table: string): ReadonlyMap<Uuid, Row>;
  row(table: string, uuid: Uuid): Row | undefined;
  /**
   * Finds rows of a table by a value from now on: `index('Logical_Switch', 'external_ids:owner').all('me')`. Make it once
   * and keep it: it follows every change, at a cost that depends on the change alone.
   *
   * @throws when the replica does not hold the table or the column.
   */
  index(table: string, by: IndexBy): RowIndex;
  /** The replica as it is now, whatever comes: for reading one state over several turns of the event loop. */
  snapshot(): Snapshot;
  /** The columns in the replica that refer to a row. */
  referrers(uuid: Uuid): readonly Referrer[];
  /**
   * Calls back once an update of the server, that is once a transaction, after the replica has it; after a reconnect
   * once with what really differs. Returns what removes the listener.
   */
  onChange(listener: (changes: readonly RowChange[]) => void): () => void;
  onState(listener: (state: DatabaseState) => void): () => void;
  /**
   * Calls back when the server converted the database to another schema (ovsdb-server(7) 4.1.19), before the differences
   * of the rows are reported. Should the new schema lack something that is wanted, the database stays `connecting`, with
   * the reason as `trouble`, until another conversion brings it back or `want` asks for something else.
   */
  onSchema(listener: (schema: DatabaseSchema) => void): () => void;
  /**
   * Asks for other tables, columns or rows. Resolves when the replica holds exactly these; what comes and goes is
   * reported as changes. Where only conditions differ, nothing else is sent again (`monitor_cond_change`). A call that
   * fails changes nothing.
   *
   * @throws OvsdbError `unsuitable-schema`, `bad-condition`, `unsuitable-server`, `aborted` or `closed`.
   */
  want(tables: WantedTables | undefined, signal?: AbortSignal): Promise<void>;
  /** Runs a transaction (RFC 7047 4.1.3). When it is committed, the replica has it already. Never rejects. */
  transact(operations: readonly Operation[], options?: TransactOptions): Promise<TransactOutcome>;
  /**
   * Asks for a lock; resolves when the server has granted it or put it in the queue (RFC 7047 4.1.8). With `steal` it is
   * taken from whoever has it; after a reconnect it is waited for like any other.
   */
  lock(name: string, options?: { readonly steal?: boolean }): Promise<Lock>;
  /**
   * Resolves when the replica is connected and holds everything that was committed at the server before the call.
   *
   * @throws OvsdbError `aborted` or `closed`.
   */
  resynced(signal?: AbortSignal): Promise<void>;
  /** Ends the connection; no timer and no socket is left when it resolves. */
  close(): Promise<void>;
}
