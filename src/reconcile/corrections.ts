import type { RowKey, UnitName } from '../model/nb.ts';
import type { Change } from '../model/plan.ts';
import type { DriftPolicy } from '../plan/drift-policy.ts';

/** So many corrections of one row within the window make it contested. */
const LIMIT = 5;
const WINDOW_MS = 600_000;

/**
 * Counts how often each row had to be put right. A row that somebody keeps changing back is contested: correcting it
 * again and again would only make traffic flap, so it is left and reported until the next revision.
 */
export class Corrections {
  readonly #times = new Map<RowKey, number[]>();
  readonly #contested = new Set<RowKey>();
  readonly #reported = new Map<UnitName, string>();
  #sequence = 0;

  /** Starts afresh when another revision is in force. */
  follow(sequence: number): void {
    if (sequence === this.#sequence) return;
    this.#sequence = sequence;
    this.#times.clear();
    this.#contested.clear();
    this.#reported.clear();
  }

  /** Notes corrections made at `now` (ms since 1970). */
  count(changes: readonly Change[], now: number): void {
    for (const change of changes) {
      const recent = (this.#times.get(change.key) ?? []).filter((time) => time > now - WINDOW_MS);
      recent.push(now);
      this.#times.set(change.key, recent);
      if (recent.length >= LIMIT) this.#contested.add(change.key);
    }
  }

  /** True the first time that a unit is reported with these differences. */
  isNews(unit: UnitName, differences: string): boolean {
    const isNew = this.#reported.get(unit) !== differences;
    this.#reported.set(unit, differences);
    return isNew;
  }

  isContested(key: RowKey): boolean {
    return this.#contested.has(key);
  }

  /** The repository's policy, but contested rows are only reported. */
  limit(policy: DriftPolicy): DriftPolicy {
    return (key) => (this.#contested.has(key) ? 'report' : policy(key));
  }
}
