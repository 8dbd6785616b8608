import { OvsdbError } from './error.ts';

/**
 * Waits until `subscribe`'s callback is called, or until the signal aborts.
 *
 * @throws OvsdbError `aborted`.
 */
export function untilCalled(
  subscribe: (done: (error?: Error) => void) => () => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(aborted(signal));
    let unsubscribe: (() => void) | undefined;
    const done = (error?: Error): void => {
      unsubscribe?.();
      signal?.removeEventListener('abort', onAbort);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onAbort = (): void => {
      done(signal === undefined ? undefined : aborted(signal));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    unsubscribe = subscribe(done);
  });
}

/**
 * Waits for a promise, or until the signal aborts.
 *
 * @throws OvsdbError `aborted`, and what the promise is rejected with.
 */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  let forget: (() => void) | undefined;
  const abort = untilCalled((done) => {
    forget = done;
    return () => {};
  }, signal);
  try {
    return await Promise.race([promise, abort as Promise<never>]);
  } finally {
    forget?.();
  }
}

function aborted(signal: AbortSignal): OvsdbError {
  return new OvsdbError('aborted', 'the wait was aborted', 'nothing: the caller asked for it', signal.reason);
}
