import { setTimeout as sleep } from 'node:timers/promises';
import { parseAccepted, parseApplied } from '../../src/model/fence.ts';
import { truthOf, unitFault, type UnitRows } from './network-truth.ts';
import { UNITS } from './network-revisions.ts';
import { connectRaw, type Json, type RawConnection } from './raw-connection.ts';

/** What one member of a cluster, or the only server, shows of our units, update by update. */
export interface UnitStream {
  /** States that must never be: torn units, an older revision over a newer one. */
  readonly faults: readonly string[];
  readonly updates: () => number;
  stop(): Promise<void>;
}

type Update = Readonly<
  Record<string, Readonly<Record<string, { readonly new?: Readonly<Record<string, Json>> | null }>>>
>;

/**
 * Follows a server with the oldest kind of monitor, over reconnects. Each update is what one transaction, or several in a
 * row, made of the database: after each one every unit must be that of the revision which its record names, and the
 * sequences of records never fall. After a reconnect the member may be behind: what it shows then is where it starts.
 */
export function watchUnits(endpoint: string, expected: readonly UnitRows[]): UnitStream {
  const stop = new AbortController();
  let current: RawConnection | undefined;
  const faults: string[] = [];
  let updates = 0;
  const follow = async (): Promise<void> => {
    const tables = new Map<string, Map<string, Readonly<Record<string, Json>>>>();
    const sequences = new Map<string, number>();
    const take = (update: Update): void => {
      updates += 1;
      for (const [table, rows] of Object.entries(update)) {
        const known = tables.get(table) ?? new Map<string, Readonly<Record<string, Json>>>();
        tables.set(table, known);
        for (const [uuid, row] of Object.entries(rows)) {
          if (row.new === undefined || row.new === null) known.delete(uuid);
          else known.set(uuid, row.new);
        }
      }
      const truth = truthOf(tables);
      for (const unit of UNITS) {
        const fault = unitFault(unit, truth, expected);
        if (fault !== undefined) faults.push(`torn: ${fault}`);
      }
      for (const [key, text] of truth.records) {
        const sequence = (parseApplied(text) ?? parseAccepted(text))?.sequence;
        if (sequence === undefined) continue;
        const before = sequences.get(key) ?? 0;
        if (sequence < before) faults.push(`${key}: ${text} after ${before}`);
        sequences.set(key, sequence);
      }
    };
    // What comes in one piece with the first copy is called back before the copy.
    let early: Update[] | undefined = [];
    const raw = await connectRaw(endpoint, (method, params) => {
      if (method !== 'update') return;
      const update = params[1] as unknown as Update;
      if (early === undefined) take(update);
      else early.push(update);
    });
    current = raw;
    if (stop.signal.aborted) raw.close();
    const requests = Object.fromEntries(WATCHED.map((table) => [table, [{}]]));
    take((await raw.request('monitor', ['OVN_Northbound', 'units', requests])) as unknown as Update);
    const late = early;
    early = undefined;
    late.forEach(take);
    await raw.ended;
  };
  const running = (async () => {
    while (!stop.signal.aborted) {
      await follow().catch(() => {});
      await sleep(50);
    }
  })();
  return {
    faults,
    updates: () => updates,
    stop: async () => {
      stop.abort();
      current?.close();
      await running;
    },
  };
}

/** Tables that the networks of the tests have rows in. */
const WATCHED = [
  'NB_Global',
  'Logical_Switch',
  'Logical_Switch_Port',
  'Logical_Router',
  'Logical_Router_Port',
  'Logical_Router_Static_Route',
  'ACL',
  'Address_Set',
  'Port_Group',
];
