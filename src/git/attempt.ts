import type { Result } from '../lib/result.ts';
import { fail, ok } from '../lib/result.ts';
import type { SourceError } from './source-error.ts';
import { SourceFault } from './source-error.ts';

/**
 * Runs code that throws SourceFault and returns its outcome as a value. Errors of the file system (full disk, permissions)
 * count as STORE_UNUSABLE; anything else is a bug of ours and is thrown on.
 */
export async function attempt<T>(run: () => Promise<T>): Promise<Result<T, SourceError>> {
  try {
    return ok(await run());
  } catch (cause) {
    if (cause instanceof SourceFault) return fail(cause.error);
    if (isSystemError(cause)) return fail(new SourceFault('STORE_UNUSABLE', cause.message).error);
    throw cause;
  }
}

/** Throws ABORTED when the signal has fired. */
export function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new SourceFault('ABORTED', 'the operation was stopped');
}

/** An error of the operating system, such as ENOSPC or EACCES. */
export function isSystemError(cause: unknown): cause is NodeJS.ErrnoException {
  return cause instanceof Error && 'syscall' in cause && 'code' in cause;
}

/** Runs `run` over `items` with at most `limit` at a time; results keep the order of the items. */
export async function mapLimit<T, R>(
  items: readonly T[],
  limit: number,
  run: (item: T) => Promise<R>,
  signal?: AbortSignal,
): Promise<readonly R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of queue) {
      checkAborted(signal);
      results[index] = await run(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  return results;
}
