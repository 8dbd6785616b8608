import { acceptedKey, appliedKey, printAccepted } from '../model/fence.ts';
import type { UnitName } from '../model/nb.ts';
import type { AcceptedRevision } from '../model/revision.ts';
import type { Mutation, Operation } from '../ovsdb/index.ts';
import { guardPairs, whereUuid } from './guards.ts';
import { encodeMap } from './wire.ts';

/** What a unit's transaction stands on, and what it leaves behind in NB_Global. */
export interface FenceInput {
  readonly owner: string;
  readonly unit: UnitName;
  readonly globalUuid: string;
  /** The revision that the plan was made for. */
  readonly accepted: AcceptedRevision;
  /** The unit's record as it was read, if there was one. */
  readonly before: string | undefined;
  /** True for a part of a plan: the record stays as it is, and nobody is told of a new nb_cfg. */
  readonly isPart: boolean;
  /** The unit's record from now on; undefined for a unit that has no rows any more. */
  readonly after: string | undefined;
}

/**
 * Two comparisons keep a late writer out: the accepted revision must still be the one that the plan was made for, and
 * the unit's record the one that was read. They are one `wait`, on the record that was read, or, where none was, on the
 * one that is written: a map mutation `insert` never overwrites (RFC 7047 5.1), so the new pair is there only if nobody
 * wrote in between. The same mutation bumps nb_cfg.
 */
export function unitFence(fence: FenceInput): readonly Operation[] {
  const { owner, unit, globalUuid, before, after, isPart } = fence;
  const key = appliedKey(owner, unit);
  if (isPart) return before === undefined ? unrecordedPart(fence, key) : [guardFence(fence, before)];
  const mutations: Mutation[] = [];
  if (before !== undefined) mutations.push(['external_ids', 'delete', ['set', [key]]]);
  if (after !== undefined) mutations.push(['external_ids', 'insert', encodeMap({ [key]: after })]);
  mutations.push(['nb_cfg', '+=', 1]);
  const mutate: Operation = { op: 'mutate', table: 'NB_Global', where: [whereUuid(globalUuid)], mutations };
  return before === undefined ? [mutate, guardFence(fence, after)] : [guardFence(fence, before), mutate];
}

/** That there is no record is proven by writing one, which would not overwrite, and taking it back. */
function unrecordedPart(fence: FenceInput, key: string): readonly Operation[] {
  const probe = 'part';
  const target = { op: 'mutate', table: 'NB_Global', where: [whereUuid(fence.globalUuid)] } as const;
  return [
    { ...target, mutations: [['external_ids', 'insert', encodeMap({ [key]: probe })]] },
    guardFence(fence, probe),
    { ...target, mutations: [['external_ids', 'delete', ['set', [key]]]] },
  ];
}

/** Fails the transaction unless the revision is in force and the unit's record, if any is given, is this one. */
function guardFence(
  { owner, unit, globalUuid, accepted }: FenceInput,
  record: string | undefined,
): Operation {
  return guardPairs('NB_Global', globalUuid, 'external_ids', {
    [acceptedKey(owner)]: printAccepted(accepted),
    ...(record === undefined ? {} : { [appliedKey(owner, unit)]: record }),
  });
}
