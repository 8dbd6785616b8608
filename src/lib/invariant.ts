/**
 * States what must hold if our own code is right. A failure is a bug of ours, never a user's mistake.
 *
 * @throws Error with `message` when `condition` is false.
 */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`invariant: ${message}`);
}
