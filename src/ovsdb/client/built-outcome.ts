import { invariant } from '../../lib/invariant.ts';
import type { Operation, OperationResult } from '../protocol/operation.ts';
import type { TransactOutcome } from '../protocol/outcome.ts';
import type { DatabaseSchema } from '../protocol/schema.ts';
import { type SelectedRow, selectedRows } from '../protocol/select.ts';
import type { Uuid } from '../protocol/value.ts';

/** A change or a select of a transaction, by which its result is asked for. */
export interface Step {
  readonly change: number;
}

/** What a committed transaction did. */
export interface CommittedTransaction {
  readonly kind: 'committed';
  /** The uuid that a new row has now: the one that it had in the builder, unless the server chose another. */
  uuid(row: Uuid): Uuid;
  /** How many rows an update, a mutate or a delete found. */
  count(step: Step): number;
  /** What a select found. */
  rows(step: Step): readonly SelectedRow[];
}

/** What became of a transaction of a `TransactionBuilder`. */
export type BuiltOutcome =
  | CommittedTransaction
  /** A guard did not hold, and nothing was written: what it was decided from is another by now. */
  | { readonly kind: 'outdated'; readonly guard: Operation }
  /** The lock is somebody else's, and nothing was written. */
  | { readonly kind: 'not-owner'; readonly lock: string }
  | Exclude<TransactOutcome, { readonly kind: 'committed' }>;

/** The transaction that an outcome is of. */
export interface SentTransaction {
  readonly schema: DatabaseSchema;
  readonly operations: readonly Operation[];
  readonly firstChange: number;
  /** As the builder wrote them, with the uuids that it chose. */
  readonly changes: readonly Operation[];
}

/** Reads an outcome in the words of the builder. */
export function readBuiltOutcome(outcome: TransactOutcome, sent: SentTransaction): BuiltOutcome {
  if (outcome.kind === 'committed') return committed(outcome.results, sent);
  if (outcome.kind !== 'refused' || outcome.operation === undefined) return outcome;
  const failed = sent.operations[outcome.operation];
  if (failed?.op === 'wait' && outcome.error === 'timed out') return { kind: 'outdated', guard: failed };
  if (failed?.op === 'assert' && outcome.error === 'not owner')
    return { kind: 'not-owner', lock: failed.lock };
  return outcome;
}

function committed(
  results: readonly OperationResult[],
  { schema, firstChange, changes }: SentTransaction,
): CommittedTransaction {
  const resultOf = (change: number): OperationResult => {
    const result = results[firstChange + change];
    invariant(result !== undefined && change in changes, 'the step is not one of this transaction');
    return result;
  };
  const uuids = new Map<string, Uuid>();
  for (const [change, operation] of changes.entries()) {
    if (operation.op !== 'insert' || operation.uuid === undefined) continue;
    uuids.set(operation.uuid, (resultOf(change).uuid?.[1] ?? operation.uuid) as Uuid);
  }
  return {
    kind: 'committed',
    uuid: (row) => uuids.get(row) ?? row,
    count: ({ change }) => resultOf(change).count ?? 0,
    rows: ({ change }) => {
      const operation = changes[change];
      const table = operation?.op === 'select' ? schema.tables.get(operation.table) : undefined;
      invariant(table !== undefined, 'the step is not a select');
      return selectedRows(table, resultOf(change));
    },
  };
}
