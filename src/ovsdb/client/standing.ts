import type { Replica } from '../replica/replica.ts';
import type { WantedTables } from '../replica/selection.ts';
import type { Plan } from './plan.ts';
import type { Watermark } from './server-watch.ts';

/** What outlives a connection. */
export interface Standing {
  /** What the replica should hold from the next monitor on. */
  wanted: WantedTables | undefined;
  replica: Replica | undefined;
  /** What the replica does hold. */
  plan: Plan | undefined;
  /** The newest transaction that the replica holds; zero when the server gave none, or when only a full copy helps. */
  lastTransaction: string;
  readonly watermark: Watermark;
  /** First copies in a row that were cut off: each one makes the next more patient. */
  failedLoads: number;
}

/** The standing of a client that was never connected. */
export function newStanding(wanted: WantedTables | undefined): Standing {
  return {
    wanted,
    replica: undefined,
    plan: undefined,
    lastTransaction: NO_TRANSACTION,
    watermark: { cluster: undefined, index: 0, behindSince: undefined },
    failedLoads: 0,
  };
}

/** What ovsdb-server(7) 4.1.15 takes for "everything, please". */
export const NO_TRANSACTION = '00000000-0000-0000-0000-000000000000';
