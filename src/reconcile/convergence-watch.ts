import type { UnitName } from '../model/nb.ts';
import type { Convergence } from '../model/status.ts';
import type { Northbound } from './northbound.ts';

/** A chassis that is down must not keep us watching for ever. */
const WATCH_MS = 600_000;
/** Progress is looked at this long after it was made, once for all commits that are followed. */
const GATHER_MS = 50;
/** What could not be told is told this long after. */
const AGAIN_MS = 1_000;

/** Tells of progress; false when it has to be told again. */
type Report = (progress: Convergence) => Promise<boolean>;

interface Followed {
  readonly nbCfg: number;
  readonly until: number;
  readonly report: Report;
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
  follow(unit: UnitName, nbCfg: number, report: Report): void {
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

  #wake(afterMs: number = GATHER_MS): void {
    if (this.#followed.size === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#work = this.#work.then(() => this.#look());
    }, afterMs);
  }

  async #look(): Promise<void> {
    for (const [unit, followed] of this.#followed) {
      const progress = this.#northbound.convergence(followed.nbCfg);
      const text = JSON.stringify([progress.translatedAt !== undefined, progress.chassis]);
      const isOver = this.#isProven(progress) || this.#clock() > followed.until;
      if (text !== followed.reported && (await this.#isTold(followed, progress))) followed.reported = text;
      // Meanwhile another commit of the unit may have taken its place.
      if (isOver && this.#followed.get(unit) === followed && text === followed.reported) {
        this.#followed.delete(unit);
      }
      if (text !== followed.reported) this.#wake(AGAIN_MS);
    }
  }

  async #isTold(followed: Followed, progress: Convergence): Promise<boolean> {
    try {
      return await followed.report(progress);
    } catch (error) {
      this.#onError(error);
      return false;
    }
  }

  /** Where no chassis exists nothing is proven: the first one may come at any moment. */
  #isProven({ translatedAt, chassis }: Convergence): boolean {
    if (translatedAt === undefined) return false;
    if (!this.#northbound.provesChassis) return true;
    return chassis !== undefined && chassis.total > 0 && chassis.caughtUp === chassis.total;
  }
}
