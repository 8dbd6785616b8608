import { acceptedKey, parseAccepted } from '../model/fence.ts';
import type { ApiParts } from './api-parts.ts';

/** Whether the installation can do its work: it follows the Northbound, and a revision is in force. */
export interface Readiness {
  readonly ready: boolean;
  readonly reason: string;
}

/** Says so now. Redis and Git may be away: what is in force stays in force without them. */
export function readiness({ northbound, owner }: Pick<ApiParts, 'northbound' | 'owner'>): Readiness {
  if (!northbound.isLive) return { ready: false, reason: 'the Northbound is away' };
  const accepted = parseAccepted(northbound.record(acceptedKey(owner)));
  if (accepted === undefined) return { ready: false, reason: 'no revision is in force yet' };
  return { ready: true, reason: `revision ${accepted.sequence} is in force` };
}
