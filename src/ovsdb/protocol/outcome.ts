import type { OperationResult } from './operation.ts';

/** What became of a transaction. */
export type TransactOutcome =
  | { readonly kind: 'committed'; readonly results: readonly OperationResult[] }
  | {
      readonly kind: 'refused';
      /** The server's word for it, e.g. `timed out`, `constraint violation`, `not owner` (RFC 7047 3.1, 4.1.3, 5.2). */
      readonly error: string;
      readonly details: string;
      /** The operation that failed; undefined when every operation passed and the commit itself was refused. */
      readonly operation: number | undefined;
      /** One entry an operation; null for one that was not executed. */
      readonly results: readonly (OperationResult | null)[];
    }
  /** It was sent and no verdict came: it may or may not be committed. Resync and decide again. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** It never left this client. */
  | { readonly kind: 'unsent'; readonly reason: string };

/** Reads the reply to a `transact` of `count` operations (RFC 7047 4.1.3). */
export function readOutcome(count: number, result: unknown, error: unknown): TransactOutcome {
  if (error !== null) return readRequestError(error);
  if (!Array.isArray(result)) return { kind: 'unknown', reason: 'the reply has no results' };
  const results = result as readonly (OperationResult | null)[];
  const failed = results.findIndex((each) => each?.error !== undefined && each.error !== null);
  const failure = results[failed];
  if (failure?.error !== undefined) {
    // A RAFT member that loses its role gives up on a commit which the others may still carry out.
    if (failure.error === 'cluster error')
      return { kind: 'unknown', reason: failure.details ?? failure.error };
    return {
      kind: 'refused',
      error: failure.error,
      details: failure.details ?? '',
      operation: failed < count ? failed : undefined,
      results: results.slice(0, count),
    };
  }
  // Success is one result an operation and no error anywhere; null means "not executed".
  if (results.length !== count || results.includes(null)) {
    return {
      kind: 'unknown',
      reason: `${count} operations were sent and ${results.length} results came back`,
    };
  }
  return { kind: 'committed', results: results as readonly OperationResult[] };
}

/** The text of a JSON-RPC error, which ovsdb-server writes as a string or as an object. */
export function errorText(error: unknown): string {
  if (typeof error === 'string') return error;
  const { error: tag, details } = (error ?? {}) as { readonly error?: unknown; readonly details?: unknown };
  return [tag, details].filter((part) => typeof part === 'string').join(': ') || JSON.stringify(error);
}

function readRequestError(error: unknown): TransactOutcome {
  const text = errorText(error);
  if (text === 'canceled') return { kind: 'unknown', reason: 'the server canceled the transaction' };
  return { kind: 'refused', error: text, details: '', operation: undefined, results: [] };
}
