import type { UnitName } from '../model/nb.ts';
import type { Convergence } from '../model/status.ts';
import type { Northbound } from './northbound.ts';

/** A chassis that is down must not keep us watching for ever. */
const WATCH_MS = 600_000;
/** Progress is looked at this long after it was made, once for all commits that are followed. */
const GATHER_MS = 50;

interface Followed {
  readonly nbCfg: number;
  readonly until: number;
  readonly report: (progress: Convergence) => Promise<void>;
  reported: string;
}

/** The part of a Northbound that proves commits. */
type Proof = Pick<Northbound, 'convergence' | 'onProgress' | 'provesChassis'>;

/** Follows commits in the background until they are installed; a newer commit of the same unit takes its place. */
export class ConvergenceWatch {
  readonly #northbound: Proof;
  readonly #clock: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #followed = new Map<UnitName, Followed>();
  readonly #stopListening: () => void;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(northbound: Proof, clock: () => number, onError: (error: unknown) => void) {
    this.#northbound = northbound;
    this.#clock = clock;
    this.#onError = onError;
    this.#stopListening = northbound.onProgress(() => this.#wake());
  }

  /** Calls back with every step from now on until all that can be proven is proven. */
  follow(unit: UnitName, nbCfg: number, report: (progress: Convergence) => Promise<void>): void {
    this.#followed.set(unit, { nbCfg, until: this.#clock() + WATCH_MS, report, reported: '' });
    this.#wake();
  }

  /** How many commits are being followed. */
  get size(): number {
    return this.#followed.size;
  }

  /** Stops all watching. */
  async close(): Promise<void> {
    this.#stopListening();
    this.#followed.clear();
    clearTimeout(this.#timer);
    await this.#work;
  }

  #wake(): void {
    if (this.#followed.size === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#work = this.#work.then(() => this.#look());
    }, GATHER_MS);
  }

  async #look(): Promise<void> {
    for (const [unit, followed] of this.#followed) {
      const progress = this.#northbound.convergence(followed.nbCfg);
      const text = JSON.stringify([progress.translatedAt !== undefined, progress.chassis]);
      if (this.#isProven(progress) || this.#clock() > followed.until) this.#followed.delete(unit);
      if (text === followed.reported) continue;
      followed.reported = text;
      try {
        await followed.report(progress);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  /** Where no chassis exists nothing is proven: the first one may come at any moment. */
  #isProven({ translatedAt, chassis }: Convergence): boolean {
    if (translatedAt === undefined) return false;
    if (!this.#northbound.provesChassis) return true;
    return chassis !== undefined && chassis.total > 0 && chassis.caughtUp === chassis.total;
  }
}
