export interface LivenessOptions {
  /** How long the server may be silent before it is asked for an echo; 0 never asks. */
  readonly probeIntervalMs: number;
  readonly sendEcho: () => void;
  /** How long a silence may last in all: it depends on what the server was asked to do. */
  readonly patienceMs: () => number;
  readonly onSilent: () => void;
}

/** Tells a dead connection from a busy one. Any byte that arrives is life; an echo is only a way to ask for one. */
export class Liveness {
  readonly #options: LivenessOptions;
  #timer: NodeJS.Timeout | undefined;
  #lastByte = performance.now();
  #echoSent = false;

  constructor(options: LivenessOptions) {
    this.#options = options;
    this.#arm(options.probeIntervalMs);
  }

  /** Bytes arrived. */
  sawBytes(): void {
    this.#lastByte = performance.now();
    this.#echoSent = false;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(delayMs: number): void {
    if (this.#options.probeIntervalMs === 0) return;
    this.#timer = setTimeout(() => {
      // Bytes that came in while the event loop was busy are read before the next phase: judge after them.
      setImmediate(() => {
        if (this.#timer !== undefined) this.#check();
      });
    }, delayMs);
  }

  #check(): void {
    const { probeIntervalMs, sendEcho, patienceMs, onSilent } = this.#options;
    const silence = performance.now() - this.#lastByte;
    if (silence < probeIntervalMs) return this.#arm(probeIntervalMs - silence);
    if (!this.#echoSent) {
      this.#echoSent = true;
      sendEcho();
      return this.#arm(probeIntervalMs);
    }
    if (silence < patienceMs()) return this.#arm(probeIntervalMs);
    onSilent();
  }
}
