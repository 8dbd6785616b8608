import type { TransactOutcome } from '../ovsdb/index.ts';
import type { CommitOutcome, NbTransaction } from '../reconcile/northbound.ts';

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
