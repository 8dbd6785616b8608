import type { UnitName } from './nb.ts';
import type { AcceptedRevision, AppliedRevision } from './revision.ts';

/**
 * The record of revisions in NB_Global.external_ids, so that losing everything else loses nothing: which revision is
 * accepted, and per unit the last one that wrote it. Keys carry the installation; values are texts compared as wholes.
 */

/** external_ids key of the accepted revision. */
export function acceptedKey(owner: string): string {
  return `ovn-gitops:${owner}:accepted`;
}

/** external_ids key of what was last written to a unit. */
export function appliedKey(owner: string, unit: UnitName): string {
  return `ovn-gitops:${owner}:applied:${unit}`;
}

/** The accepted revision as it is kept: `SEQUENCE COMMIT`. */
export function printAccepted(accepted: AcceptedRevision): string {
  return `${accepted.sequence} ${accepted.commit}`;
}

/**
 * The largest sequence that is written or believed. Nothing rests on the order of sequences (records are compared as
 * texts), so a forged number is no more than no record.
 */
export const MAX_SEQUENCE = 999_999_999;

/** Reads an accepted revision; undefined for anything else. */
export function parseAccepted(text: string | undefined): AcceptedRevision | undefined {
  const match = /^([1-9][0-9]{0,8}) (\S+)$/.exec(text ?? '');
  return match === null ? undefined : { sequence: Number(match[1]), commit: String(match[2]) };
}

/** In place of a fingerprint while rows of a unit still have to go. */
export const UNSETTLED = '0000000000000000';

/** What was written to a unit, with the fingerprint of its desired rows. */
export interface AppliedRecord extends AppliedRevision {
  readonly hash: string;
}

/** The record of a unit as it is kept: `SEQUENCE COMMIT AT HASH`. */
export function printApplied(record: AppliedRecord): string {
  return `${record.sequence} ${record.commit} ${record.at} ${record.hash}`;
}

/** Reads the record of a unit; undefined for anything else. */
export function parseApplied(text: string | undefined): AppliedRecord | undefined {
  const match = /^([1-9][0-9]{0,8}) (\S+) ([0-9]{1,15}) ([0-9a-f]{16})$/.exec(text ?? '');
  if (match === null) return undefined;
  return {
    sequence: Number(match[1]),
    commit: String(match[2]),
    at: Number(match[3]),
    hash: String(match[4]),
  };
}
