import { reached } from '../model/fault-point.ts';
import type { UnitName } from '../model/nb.ts';
import type { SourceFollower } from './follow-source.ts';
import { isOpen, planUnit } from './plan-units.ts';
import { acceptedRevision, acceptedText } from './revision-record.ts';
import type { UnitJob } from './unit-queue.ts';

/** How long changes are gathered before they are looked at: one hand edit often is several transactions. */
const GATHER_MS = 5;

/** The parts that watching needs. */
export type WatchParts = Pick<
  SourceFollower,
  'owner' | 'northbound' | 'revisions' | 'queue' | 'clock' | 'log'
>;

/**
 * Watches the replica: whatever changes rows of ours, their units are compared with the revision in force, and units
 * that are not as they should be are rung for. What our own workers write leaves nothing to do and rings nobody.
 */
export class UnitWatch {
  readonly #parts: WatchParts;
  readonly #dirty = new Map<UnitName, number>();
  readonly #onRecord: () => void;
  #record: string | undefined;
  readonly #stopListening: () => void;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();

  /** `onRecord` is called when the record of the revision in force has changed or is lost, whoever did that. */
  constructor(parts: WatchParts, onRecord: () => void) {
    this.#parts = parts;
    this.#onRecord = onRecord;
    this.#record = acceptedText(parts.northbound, parts.owner);
    this.#stopListening = parts.northbound.onUnits((units) => this.#note(units));
  }

  /** Stops watching and waits for what is under way. */
  async close(): Promise<void> {
    this.#stopListening();
    clearTimeout(this.#timer);
    await this.#work;
  }

  #note(units: ReadonlySet<UnitName>): void {
    const { northbound, clock, owner } = this.#parts;
    const record = acceptedText(northbound, owner);
    if (record !== this.#record) {
      this.#record = record;
      this.#onRecord();
    }
    const now = clock();
    for (const unit of units) if (!this.#dirty.has(unit)) this.#dirty.set(unit, now);
    if (this.#dirty.size === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#work = this.#work.then(() => this.#look());
    }, GATHER_MS);
  }

  async #look(): Promise<void> {
    const { northbound, revisions, queue, owner, log } = this.#parts;
    reached('change of rows seen');
    const dirty = [...this.#dirty];
    this.#dirty.clear();
    const accepted = acceptedRevision(northbound, owner);
    if (accepted === undefined) return;
    try {
      const read = await revisions.at(accepted.commit, AbortSignal.timeout(60_000));
      if (!read.ok) return;
      const { desired, policy } = read.value;
      const jobs: UnitJob[] = [];
      for (const [unit, seenAt] of dirty) {
        const plan = planUnit(unit, desired, northbound, owner, policy);
        if (isOpen(plan) || plan.reported.length > 0) jobs.push({ unit, cause: 'drift', seenAt });
      }
      if (jobs.length === 0) return;
      reached('foreign change planned');
      await queue.ring(jobs);
      reached('foreign change rung for');
    } catch (error) {
      // Nothing is lost: the next event or the timed comparison looks again.
      log('units not looked at', { error: error instanceof Error ? error.message : String(error) });
    }
  }
}
