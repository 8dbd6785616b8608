import type { LiveNb } from '../model/live.ts';
import type { RowKey, UnitName } from '../model/nb.ts';
import type { Plan } from '../model/plan.ts';
import { changedRows } from './changed-rows.ts';
import type { DesiredNb } from './desired.ts';
import { diffKeys, type DiffInput, unitKeys } from './diff.ts';
import { standAlone } from './row-targets.ts';
import { deriveUnitHash } from './unit-hash.ts';

/** What a plan depends on beside the rows. */
export type PlanRest = Pick<DiffInput, 'owner' | 'settled' | 'policy' | 'isPreview'>;

/**
 * Remembers which rows are not known to be as they should be, so that planning costs what has changed since the last
 * plan, on either side. A row that was found to be right stays so until its desired row is another object, or until
 * the database says that it may compare differently (`touch`). The plan is that of the full comparison, always.
 */
export class OpenRows {
  readonly #live: LiveNb;
  /** By unit; a unit that is not here was never compared. */
  readonly #open = new Map<UnitName, Set<RowKey>>();
  /** Plans that hold until a row of their unit is touched: made once, also for who asks for a preview. */
  readonly #plans = new Map<UnitName, { readonly rest: PlanRest; readonly plan: Plan }>();
  #desired: DesiredNb | undefined;

  constructor(live: LiveNb) {
    this.#live = live;
  }

  /**
   * Has a row looked at again in every unit that could have to do something about it; undefined stands for a row that is
   * not ours, which may lie where a row of ours should be.
   */
  touch(key: RowKey | undefined): void {
    const unit = key === undefined ? undefined : this.#desired?.row(key)?.unit;
    if (unit === undefined) this.#plans.clear();
    if (key === undefined) return;
    if (unit !== undefined) this.#reopen(unit, key);
    for (const row of this.#live.withKey(key)) {
      const identity = this.#live.identity(row.table, row.uuid);
      if (identity !== undefined) this.#reopen(identity.unit, key);
    }
  }

  /** The plan of a unit; `rest` is asked for when there is something to do at all. */
  plan(desired: DesiredNb, unit: UnitName, rest: () => PlanRest): Plan {
    this.#follow(desired);
    const keys = this.#open.get(unit);
    if (keys?.size === 0) return { unit, changes: [], deferred: [], reported: [], hazards: [] };
    const asked = rest();
    const known = this.#plans.get(unit);
    if (known?.rest.settled === asked.settled && known.rest.policy === asked.policy) {
      // Whoever writes it and fails gets a fresh one.
      if (!asked.isPreview) this.#plans.delete(unit);
      return known.plan;
    }
    const input = { ...asked, desired, live: this.#live, unit };
    const { plan, open } = diffKeys(input, keys ?? unitKeys(input));
    this.#open.set(unit, open);
    if (!asked.isPreview && isLasting(plan, desired)) this.#plans.set(unit, { rest: asked, plan });
    return plan;
  }

  #reopen(unit: UnitName, key: RowKey): void {
    this.#open.get(unit)?.add(key);
    this.#plans.delete(unit);
  }

  #follow(desired: DesiredNb): void {
    const before = this.#desired;
    this.#desired = desired;
    if (before === undefined || before === desired) return;
    for (const unit of this.#open.keys()) {
      const [old, next] = [before.rowsOf(unit), desired.rowsOf(unit)];
      if (old === next) continue;
      this.#plans.delete(unit);
      const { gone, come } = changedRows(old, next);
      for (const row of gone) this.touch(row.key);
      for (const row of come) this.touch(row.key);
      deriveUnitHash(next, old, gone, come);
    }
  }
}

function isLasting({ unit, changes, deferred, reported }: Plan, desired: DesiredNb): boolean {
  return deferred.length === 0 && standAlone([...changes, ...reported], desired, unit);
}
