import type { JobOutcome } from '../reconcile/unit-queue.ts';

export type RetryClass = Extract<JobOutcome, { kind: 'retry' }>['class'];

/** First and longest pause, ms. A conflict needs no more than a step aside: the next look is at a newer state. */
const PAUSES: Readonly<
  Record<RetryClass | 'delivery', { readonly first: number; readonly longest: number }>
> = {
  conflict: { first: 5, longest: 50 },
  deferred: { first: 100, longest: 5_000 },
  transport: { first: 500, longest: 60_000 },
  delivery: { first: 200, longest: 5_000 },
};

/**
 * The pause before the next try, ms: it doubles with each try of the same class. Up to half of it is left to chance, so
 * that units that failed together don't come back together.
 *
 * @param tries tries of this class so far, from 1
 * @param random from 0 up to 1
 */
export function backOff(retry: RetryClass | 'delivery', tries: number, random: number): number {
  const { first, longest } = PAUSES[retry];
  return spread(Math.min(first * 2 ** Math.min(tries - 1, 30), longest), random);
}

/** A pause with up to half of it left to chance, ms. */
export function spread(pause: number, random: number): number {
  return Math.round(pause * (1 - random / 2));
}
