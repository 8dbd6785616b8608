import type { Northbound } from './northbound.ts';

/**
 * Tells when ovn-northd is still translating earlier commits. Whatever is written then waits for it all the same, since
 * it takes seconds for a round and starts the next one only afterwards: revisions that arrive meanwhile are better put
 * in force as one. Only revisions are gathered, never the repair of changes by hand.
 */
export class NorthdPace {
  readonly #northbound: Pick<Northbound, 'progress' | 'onProgress'>;
  readonly #longestMs: number;
  /** The sb_cfg of an ovn-northd that did not move for a whole wait: nobody waits for it again until it does. */
  #stuckAt: number | undefined;

  /** `longestMs` is the longest wait; 0 waits for nothing. */
  constructor(northbound: Pick<Northbound, 'progress' | 'onProgress'>, longestMs: number) {
    this.#northbound = northbound;
    this.#longestMs = longestMs;
  }

  /** True while sb_cfg is behind nb_cfg (ovn-nb(5)) and ovn-northd has shown that it lives. */
  get isBusy(): boolean {
    const { nbCfg, sbCfg } = this.#northbound.progress;
    return this.#longestMs > 0 && sbCfg > 0 && sbCfg < nbCfg && sbCfg !== this.#stuckAt;
  }

  /** Resolves when ovn-northd is done with all that is written, after the longest wait, or when `signal` fires. */
  async quiet(signal: AbortSignal): Promise<void> {
    const { sbCfg } = this.#northbound.progress;
    if (this.isBusy && !signal.aborted) await this.#wait(signal);
    if (!signal.aborted && this.isBusy && this.#northbound.progress.sbCfg === sbCfg) this.#stuckAt = sbCfg;
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        stopListening();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, this.#longestMs);
      const stopListening = this.#northbound.onProgress(() => {
        if (!this.isBusy) done();
      });
      signal.addEventListener('abort', done);
    });
  }
}
