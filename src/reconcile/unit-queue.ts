import type { UnitName } from '../model/nb.ts';

/** Work for one unit. It carries keys only: whoever takes it reads the desired and the live state afresh. */
export interface UnitJob {
  readonly unit: UnitName;
  readonly cause: 'revision' | 'drift' | 'resume';
  /** When the reason for the job was seen, ms since 1970. */
  readonly seenAt: number;
}

/** Doorbells for units: losing one is harmless, ringing twice is too. */
export interface UnitQueue {
  /** Rings for each unit. While a job of the unit runs, the newest ring is kept and runs after it. */
  ring(jobs: readonly UnitJob[]): Promise<void>;
}

/** What became of a job. `retry` asks for another go: `conflict` at once, `transport` with growing delays. */
export type JobOutcome =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'retry';
      readonly class: 'conflict' | 'transport' | 'deferred';
      readonly message: string;
    }
  | { readonly kind: 'stalled'; readonly message: string };
