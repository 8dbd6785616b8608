import type { LiveNb } from '../model/live.ts';
import type { RowKey, UnitName } from '../model/nb.ts';
import type { Plan } from '../model/plan.ts';
import { changedRows } from './changed-rows.ts';
import type { DesiredNb } from './desired.ts';
import { diffKeys, type DiffInput, unitKeys } from './diff.ts';
import { deriveUnitHash } from './unit-hash.ts';

/**
 * Remembers which rows are not known to be as they should be, so that planning costs what has changed since the last
 * plan, on either side. A row that was found to be right stays so until its desired row is another object, or until
 * the database says that it may compare differently (`touch`). The plan is that of the full comparison, always.
 */
export class OpenRows {
  readonly #live: LiveNb;
  /** By unit; a unit that is not here was never compared. */
  readonly #open = new Map<UnitName, Set<RowKey>>();
  #desired: DesiredNb | undefined;

  constructor(live: LiveNb) {
    this.#live = live;
  }

  /** Has a row looked at again in every unit that could have to do something about it. */
  touch(key: RowKey): void {
    const unit = this.#desired?.row(key)?.unit;
    if (unit !== undefined) this.#open.get(unit)?.add(key);
    for (const row of this.#live.withKey(key)) {
      const identity = this.#live.identity(row.table, row.uuid);
      if (identity !== undefined) this.#open.get(identity.unit)?.add(key);
    }
  }

  /** The plan of a unit, with what only a unit that has something to do needs to know. */
  plan(
    desired: DesiredNb,
    unit: UnitName,
    rest: () => Pick<DiffInput, 'owner' | 'settled' | 'policy' | 'isPreview'>,
  ): Plan {
    this.#follow(desired);
    const keys = this.#open.get(unit);
    if (keys?.size === 0) return { unit, changes: [], deferred: [], reported: [], hazards: [] };
    const input = { ...rest(), desired, live: this.#live, unit };
    const { plan, open } = diffKeys(input, keys ?? unitKeys(input));
    this.#open.set(unit, open);
    return plan;
  }

  #follow(desired: DesiredNb): void {
    const before = this.#desired;
    this.#desired = desired;
    if (before === undefined || before === desired) return;
    for (const unit of this.#open.keys()) {
      const [old, next] = [before.rowsOf(unit), desired.rowsOf(unit)];
      if (old === next) continue;
      const { gone, come } = changedRows(old, next);
      for (const row of gone) this.touch(row.key);
      for (const row of come) this.touch(row.key);
      deriveUnitHash(next, old, gone, come);
    }
  }
}
