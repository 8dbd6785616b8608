import type { UnitName } from '../model/nb.ts';
import type { Convergence } from '../model/status.ts';
import type { Northbound } from './northbound.ts';

/** A chassis that is down must not keep us watching for ever. */
const WATCH_MS = 600_000;

/** Follows commits in the background until they are installed; a newer commit of the same unit takes its place. */
export class ConvergenceWatch {
  readonly #northbound: Northbound;
  readonly #watches = new Map<UnitName, { readonly stop: AbortController; readonly done: Promise<void> }>();
  readonly #onError: (error: unknown) => void;

  constructor(northbound: Northbound, onError: (error: unknown) => void) {
    this.#northbound = northbound;
    this.#onError = onError;
  }

  /** Calls back with every step from now on until all that can be proven is proven. */
  follow(unit: UnitName, nbCfg: number, report: (progress: Convergence) => Promise<void>): void {
    this.#watches.get(unit)?.stop.abort();
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(WATCH_MS)]);
    const done = this.#run(unit, nbCfg, stop, signal, report);
    this.#watches.set(unit, { stop, done });
  }

  /** Stops all watching. */
  async close(): Promise<void> {
    const watches = [...this.#watches.values()];
    for (const watch of watches) watch.stop.abort();
    await Promise.all(watches.map((watch) => watch.done));
  }

  async #run(
    unit: UnitName,
    nbCfg: number,
    stop: AbortController,
    signal: AbortSignal,
    report: (progress: Convergence) => Promise<void>,
  ): Promise<void> {
    // Reports are written one after the other, so that the last one stays.
    let last: Promise<void> = Promise.resolve();
    try {
      await this.#northbound.converged(nbCfg, signal, (progress) => {
        if (stop.signal.aborted) return;
        last = last.then(() => report(progress));
      });
      await last;
    } catch (error) {
      this.#onError(error);
    } finally {
      if (this.#watches.get(unit)?.stop === stop) this.#watches.delete(unit);
    }
  }
}
