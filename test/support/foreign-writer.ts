import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './ovsdb-server.ts';
import { connectRaw, type Json, type RawConnection } from './raw-connection.ts';

/** Somebody else who writes to the same Northbound: switches and ports of its own, also ports in our switches. */
export interface ForeignWriter {
  /** Waits for the transaction under way and writes nothing more until resume(). */
  pause(): Promise<void>;
  resume(): void;
  /** Takes what there is for its own: the database was put back. */
  forget(): void;
  /** What is wrong with its rows as they were found, by `TABLE/UUID`. */
  faults(found: ReadonlyMap<string, string>): readonly string[];
  /** How often it was told that its transaction is committed. */
  readonly commits: () => number;
  /** Resolves after the signal. */
  readonly stopped: Promise<void>;
}

const SLOTS = 8;
/** Our switch that is there in every revision. */
const HOST_SWITCH = 'blue-0';

const HOST: Json = [['name', '==', HOST_SWITCH]];

/** What may be in a slot: the number that was committed last, or one of which nobody knows; `gone` for no row. */
interface Slot {
  readonly uuid: string;
  readonly table: 'Logical_Switch' | 'Logical_Switch_Port';
  /** Undefined when nobody knows. */
  possible: readonly string[] | undefined;
}

/** Starts to write at once, until the signal fires. */
export function startForeignWriter(
  remotes: readonly string[],
  random: () => number,
  signal: AbortSignal,
): ForeignWriter {
  const slots: readonly Slot[] = Array.from({ length: SLOTS }, (_, at) => ({
    uuid: `f0000000-0000-4000-8000-00000000000${at}`,
    table: at % 2 === 0 ? 'Logical_Switch' : 'Logical_Switch_Port',
    possible: ['gone'],
  }));
  const notes: { possible: readonly string[] | undefined } = { possible: ['gone'] };
  let number = 0;
  /** How often the database was put back: what was committed before is gone with it. */
  let age = 0;
  let commits = 0;
  let isPaused = false;
  let isBusy = false;
  let raw: RawConnection | undefined;
  const write = async (): Promise<void> => {
    const slot = slots[Math.floor(random() * SLOTS)] as Slot;
    const isGone = random() < 0.3;
    const value = String((number += 1));
    const next = isGone ? 'gone' : value;
    raw ??= await connectRaw(remotes[Math.floor(random() * remotes.length)] as string);
    const transact = async (...list: readonly Json[]): Promise<readonly Record<string, Json>[]> => {
      const reply = (raw as RawConnection).request('transact', ['OVN_Northbound', ...list]);
      return (await within(3000, reply)) as unknown as readonly Record<string, Json>[];
    };
    const where = [['_uuid', '==', ['uuid', slot.uuid]]];
    const [found] = await transact({ op: 'select', table: slot.table, where, columns: ['external_ids'] });
    const rows = found?.['rows'] as readonly Json[] | undefined;
    const isThere = rows !== undefined && rows.length > 0;
    const since = age;
    slot.possible = slot.possible && [...slot.possible, next];
    notes.possible = notes.possible && [...notes.possible, value];
    const results = await transact(...operations(slot, next, isThere), ...noteOperations(value));
    // A server may say no to its own repeat of what was committed, so only a yes is certain.
    if (results.some((result) => result !== null && 'error' in result)) return;
    commits += 1;
    if (since !== age) return;
    slot.possible = [next];
    notes.possible = [value];
  };
  const stopped = (async () => {
    while (!signal.aborted) {
      isBusy = !isPaused;
      if (isBusy) {
        await write().catch(() => {
          raw?.close();
          raw = undefined;
        });
      }
      isBusy = false;
      await sleep(10 + random() * 40);
    }
    raw?.close();
  })();
  return {
    pause: async () => {
      isPaused = true;
      await until(() => !isBusy);
    },
    resume: () => {
      isPaused = false;
    },
    forget: () => {
      age += 1;
      for (const slot of [...slots, notes]) slot.possible = undefined;
    },
    faults: (found) => {
      const known = new Map<string, { possible: readonly string[] | undefined }>([
        ...slots.map((slot) => [`${slot.table}/${slot.uuid}`, slot] as const),
        ['NB_Global', notes],
        [HOST_SWITCH, { possible: notes.possible }],
      ]);
      const lines = [...found.keys()].filter((key) => !known.has(key)).map((key) => `${key} is nobody's`);
      for (const [key, slot] of known) {
        const value = found.get(key) ?? 'gone';
        if (slot.possible !== undefined && !slot.possible.includes(value))
          lines.push(`${key} is ${value}, not ${slot.possible.join(' or ')}`);
        slot.possible = [value];
      }
      return lines;
    },
    commits: () => commits,
    stopped,
  };
}

function operations(slot: Slot, next: string, isThere: boolean): readonly Json[] {
  const { table, uuid } = slot;
  const ids: Json = ['map', [['foreign', next]]];
  const where: Json = [['_uuid', '==', ['uuid', uuid]]];
  const isPort = table === 'Logical_Switch_Port';
  const member = (mutator: string): Json => ({
    op: 'mutate',
    table: 'Logical_Switch',
    where: HOST,
    mutations: [['ports', mutator, ['uuid', uuid]]],
  });
  if (next === 'gone') return [isPort ? member('delete') : { op: 'delete', table, where }];
  if (isThere) return [{ op: 'update', table, where, row: { external_ids: ids } }];
  const insert: Json = { op: 'insert', table, uuid, row: { name: `foreign-${uuid}`, external_ids: ids } };
  return isPort ? [insert, member('insert')] : [insert];
}

/** A note on a row of ours and one beside our records; only where our switch is there. */
function noteOperations(value: string): readonly Json[] {
  const note = (table: string, where: Json): Json => ({
    op: 'mutate',
    table,
    where,
    mutations: [
      ['external_ids', 'delete', ['set', ['foreign-note']]],
      ['external_ids', 'insert', ['map', [['foreign-note', value]]]],
    ],
  });
  return [
    {
      op: 'wait',
      timeout: 0,
      table: 'Logical_Switch',
      columns: ['name'],
      where: HOST,
      until: '==',
      rows: [{ name: HOST_SWITCH }],
    },
    note('Logical_Switch', HOST),
    note('NB_Global', []),
  ];
}

/** The result of a request, or an error when none comes in time. */
async function within(ms: number, reply: Promise<Json>): Promise<Json> {
  const late = new AbortController();
  const silence = sleep(ms, undefined, { signal: late.signal }).then(() => {
    throw new Error('no reply');
  });
  silence.catch(() => {});
  reply.catch(() => {});
  try {
    return await Promise.race([reply, silence]);
  } finally {
    late.abort();
  }
}
