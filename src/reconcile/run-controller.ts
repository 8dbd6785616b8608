import { reached } from '../model/fault-point.ts';
import type { FollowMemory, SourceFollower } from './follow-source.ts';
import { followSource, ringOpenUnits } from './follow-source.ts';
import type { Northbound } from './northbound.ts';
import { acceptedRevision } from './revision-record.ts';
import { UnitWatch } from './watch-units.ts';

/** What running a controller needs beyond following its source. */
export interface ControllerParts extends SourceFollower {
  /** Between two looks at the source, ms; jitter of a tenth is added. */
  readonly intervalMs: number;
  /** Between two comparisons of everything with a fresh read of NB, ms. */
  readonly compareMs: number;
  /** Opens a second replica, read from nothing, for the timed comparison. */
  readonly openFresh: (signal: AbortSignal) => Promise<Northbound>;
  readonly random: () => number;
}

/** A running controller. */
export interface Controller {
  /** Looks at the source now: a hint that it may have moved. */
  nudge(): void;
  /** Resolves when the controller has stopped. */
  readonly stopped: Promise<void>;
}

/**
 * Follows the source, watches the replica, and compares everything from time to time, until `signal` fires. At the
 * start every unit that is not as it should be is rung for, so that a lost queue loses nothing.
 */
export function runController(parts: ControllerParts, signal: AbortSignal): Controller {
  const bell = new Bell();
  const watch = new UnitWatch(parts, () => bell.ring());
  const stopped = Promise.all([followLoop(parts, bell, signal), compareLoop(parts, signal)]).then(() =>
    watch.close(),
  );
  return { nudge: () => bell.ring(), stopped };
}

async function followLoop(parts: ControllerParts, bell: Bell, signal: AbortSignal): Promise<void> {
  const memory: FollowMemory = { rungFor: undefined };
  while (!signal.aborted) {
    try {
      await followSource(parts, memory, signal);
    } catch (error) {
      if (!signal.aborted) parts.log('source not followed', { error: textOf(error) });
    }
    // Until the first revision is in force nobody wants to wait.
    const delay = memory.rungFor === undefined ? Math.min(parts.intervalMs, 1000) : parts.intervalMs;
    await bell.wait(delay * (1 + parts.random() / 10), signal);
  }
}

async function compareLoop(parts: ControllerParts, signal: AbortSignal): Promise<void> {
  const bell = new Bell();
  for (;;) {
    await bell.wait(parts.compareMs * (1 + parts.random() / 10), signal);
    if (signal.aborted) return;
    try {
      const fresh = await parts.openFresh(signal);
      try {
        reached('fresh replica read');
        const accepted = acceptedRevision(fresh, parts.owner);
        const read = accepted === undefined ? undefined : await parts.revisions.at(accepted.commit, signal);
        if (read?.ok === true) await ringOpenUnits({ ...parts, northbound: fresh }, read.value, 'drift');
        reached('comparison rung for');
      } finally {
        await fresh.close();
      }
    } catch (error) {
      if (!signal.aborted) parts.log('comparison failed', { error: textOf(error) });
    }
  }
}

/** A pause that can be cut short; a ring while nobody waits is kept. */
class Bell {
  #isRung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isRung && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, ms);
        function done(): void {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          resolve();
        }
        signal.addEventListener('abort', done);
        this.#wake = done;
      });
      this.#wake = undefined;
    }
    this.#isRung = false;
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
