import type { Operation } from '../../src/ovsdb/index.ts';

/** What a client must be able to do to be measured in this process. */
export interface Subject {
  /** Connects; resolves when the replica, where there is one, is complete. */
  open(): Promise<void>;
  /** Rejects unless the transaction was committed. */
  transact(operations: readonly Operation[]): Promise<void>;
  /** Rows in the replica; undefined where there is none. */
  rowCount(): number | undefined;
  /** Calls back with `external_ids:sent` of every new switch port that has one. */
  onPortSent(listener: (sent: string) => void): void;
  /** Told that its connections were cut; resolves when it is in step again. */
  recover(): Promise<void>;
  /** Makes a second copy of all rows to compare with. */
  comparison(): Comparison;
  close(): Promise<void>;
}

/** The rows as they should be, numbered, beside the rows as they are. */
export interface Comparison {
  readonly count: number;
  /** How many of the rows `from` (inclusive) to `to` (exclusive) differ. */
  differing(from: number, to: number): number;
}
