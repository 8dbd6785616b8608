import type { RowKey } from '../model/nb.ts';
import type { Operation, TransactOutcome } from '../ovsdb/index.ts';

/** Operations to be committed together. */
export interface NbTransaction {
  readonly operations: readonly Operation[];
  /** Index of the select that answers with the nb_cfg of this transaction. */
  readonly nbCfgIndex: number | undefined;
  /** The row that an operation is about, for errors. */
  keyOf(operation: number): RowKey | undefined;
}

/** What became of a transaction, in the use cases' words (src/reconcile/northbound.ts). */
export type CommitOutcome =
  | { readonly kind: 'committed'; readonly nbCfg: number }
  | { readonly kind: 'conflict'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** Errors by which the database says that it moved on since we looked (RFC 7047 5.2.6, ovsdb-server(7) 4.1.9). */
const CONFLICTS: ReadonlySet<string> = new Set([
  'timed out',
  'duplicate uuid',
  'not owner',
  'referential integrity violation',
]);

/** Errors by which the server says that another one, or a later time, may do better. */
const UNAVAILABLE: ReadonlySet<string> = new Set([
  'not leader',
  'canceled',
  'aborted',
  'I/O error',
  'resources exhausted',
]);

/** Translates the database's answer. */
export function outcomeOf(outcome: TransactOutcome, transaction: NbTransaction): CommitOutcome {
  switch (outcome.kind) {
    case 'committed': {
      const { nbCfgIndex } = transaction;
      const result = nbCfgIndex === undefined ? undefined : outcome.results[nbCfgIndex];
      return { kind: 'committed', nbCfg: Number(result?.rows?.[0]?.['nb_cfg'] ?? 0) };
    }
    case 'refused': {
      const key = outcome.operation === undefined ? undefined : transaction.keyOf(outcome.operation);
      const where = key === undefined ? '' : `${key}: `;
      const details = outcome.details === '' ? '' : ` (${outcome.details})`;
      const reason = `${where}${outcome.error}${details}`;
      if (CONFLICTS.has(outcome.error)) return { kind: 'conflict', reason };
      if (UNAVAILABLE.has(outcome.error)) return { kind: 'unavailable', reason };
      return { kind: 'refused', reason };
    }
    case 'unknown':
      return { kind: 'unavailable', reason: `the reply was lost: ${outcome.reason}` };
    case 'unsent':
      return { kind: 'unavailable', reason: `not sent: ${outcome.reason}` };
  }
}
