import type { Operation } from '../protocol/operation.ts';
import { type TransactOutcome, readOutcome } from '../protocol/outcome.ts';
import type { Connection } from './connection.ts';
import type { TransactOptions } from './database.ts';

/** Sends a transaction when the connection takes it, and waits for its outcome. Never rejects. */
export async function transactOver(
  connection: Connection,
  database: string,
  operations: readonly Operation[],
  { signal, durable = false }: TransactOptions,
): Promise<TransactOutcome> {
  await connection.writable();
  if (connection.isOver) return { kind: 'unsent', reason: 'the connection was lost' };
  if (signal?.aborted === true) return { kind: 'unsent', reason: 'aborted' };
  const sent = durable ? [...operations, { op: 'commit', durable } as const] : operations;
  return new Promise((resolve) => {
    const settle = (outcome: TransactOutcome): void => {
      signal?.removeEventListener('abort', onAbort);
      resolve(durable ? withoutLast(outcome, operations.length) : outcome);
    };
    const id = connection.request('transact', [database, ...sent], {
      onReply: ({ result, error }) => {
        settle(readOutcome(sent.length, result, error));
      },
      onLost: (reason) => {
        settle({ kind: 'unknown', reason });
      },
    });
    const onAbort = (): void => {
      // A parked `wait` must not fire later; a transaction that is under way may still commit.
      connection.notify('cancel', [id]);
      settle({ kind: 'unknown', reason: 'aborted before the reply came' });
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** The outcome as if the `commit` operation that was added were not there. */
function withoutLast(outcome: TransactOutcome, count: number): TransactOutcome {
  if (outcome.kind === 'committed') return { ...outcome, results: outcome.results.slice(0, count) };
  if (outcome.kind !== 'refused') return outcome;
  const operation = outcome.operation === count ? undefined : outcome.operation;
  return { ...outcome, operation, results: outcome.results.slice(0, count) };
}
