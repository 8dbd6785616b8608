import type { Operation } from '../protocol/operation.ts';
import { type TransactOutcome, readOutcome } from '../protocol/outcome.ts';
import type { Connection } from './connection.ts';
import type { TransactOptions } from './database.ts';

/** Sends a transaction when the connection takes it, and waits for its outcome. Never rejects. */
export function transactOver(
  connection: Connection,
  database: string,
  operations: readonly Operation[],
  { signal, durable = false }: TransactOptions,
): Promise<TransactOutcome> {
  const sent = durable ? [...operations, { op: 'commit', durable } as const] : operations;
  return new Promise((resolve) => {
    const settle = (outcome: TransactOutcome): void => {
      signal?.removeEventListener('abort', onAbort);
      resolve(durable ? withoutLast(outcome, operations.length) : outcome);
    };
    let id: number | undefined;
    const onAbort = (): void => {
      if (id === undefined) return settle({ kind: 'unsent', reason: 'aborted' });
      // A parked `wait` must not fire later; a transaction that is under way may still commit.
      connection.notify('cancel', [id]);
      settle({ kind: 'unknown', reason: 'aborted before the reply came' });
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    connection.whenWritable(() => {
      if (connection.isOver) return settle({ kind: 'unsent', reason: 'the connection was lost' });
      if (signal?.aborted === true) return settle({ kind: 'unsent', reason: 'aborted' });
      try {
        id = connection.request('transact', [database, ...sent], {
          onReply: ({ result, error }) => {
            settle(readOutcome(sent.length, result, error));
          },
          onLost: (reason) => {
            settle({ kind: 'unknown', reason });
          },
        });
      } catch (error) {
        settle({ kind: 'unsent', reason: error instanceof Error ? error.message : String(error) });
      }
    });
  });
}

/** The outcome as if the `commit` operation that was added were not there. */
function withoutLast(outcome: TransactOutcome, count: number): TransactOutcome {
  if (outcome.kind === 'committed') return { ...outcome, results: outcome.results.slice(0, count) };
  if (outcome.kind !== 'refused') return outcome;
  const operation = outcome.operation === count ? undefined : outcome.operation;
  return { ...outcome, operation, results: outcome.results.slice(0, count) };
}
