import { backoffMs } from './backoff.ts';

/** The order in which remotes are tried. */
export class RemoteOrder<T> {
  readonly #remotes: readonly T[];
  readonly #random: () => number;
  #next = 0;
  #failures = 0;

  constructor(remotes: readonly T[], random: () => number) {
    this.#remotes = shuffled(remotes, random);
    this.#random = random;
  }

  /** The one to try next. It is the last of all to be tried again, so that nobody runs back to a leader that resigned. */
  next(): T {
    const remote = this.#remotes[this.#next] as T;
    this.#next = (this.#next + 1) % this.#remotes.length;
    return remote;
  }

  /** The last one is to be the next again. */
  stay(): void {
    this.#next = (this.#next + this.#remotes.length - 1) % this.#remotes.length;
  }

  /** How long to wait before the next one, in milliseconds; `isStable` when the last one served for a while. */
  pauseMs(isStable: boolean): number {
    this.#failures = isStable ? 1 : this.#failures + 1;
    return Math.round(backoffMs(this.#failures, this.#remotes.length, this.#random));
  }
}

/** Fisher and Yates: clients of one cluster do not all run to the same member. */
function shuffled<T>(all: readonly T[], random: () => number): readonly T[] {
  const order = [...all];
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other] as T, order[last] as T];
  }
  return order;
}
