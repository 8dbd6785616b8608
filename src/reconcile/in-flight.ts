/**
 * So many transactions are on their way to the server at once: while it works on one, the next is written. More gain
 * nothing, since the server takes them one after the other.
 */
const IN_FLIGHT = 4;

/** Starts the work on each item in order, on a few of them at once; resolves when all are done. */
export async function inFlight<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  const take = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, take));
}
