import type { RawClient } from '../raw-client.ts';
import type { Comparison } from './subject.ts';

/** A row as JSON carries it. */
type RawRow = Record<string, unknown>;

/** A table's rows as a server sends them (ovsdb-server(7) 4.1.14), by uuid. */
type RawUpdates = Readonly<
  Record<
    string,
    Readonly<
      Record<
        string,
        {
          readonly initial?: RawRow;
          readonly insert?: RawRow;
          readonly modify?: RawRow;
          readonly delete?: null;
        }
      >
    >
  >
>;

/**
 * The rows of all tables, kept as JSON gave them and never read again: no values of types, no defaults, no references,
 * no events. Sets and maps that change are replaced by their difference, which is wrong and costs nothing.
 */
export class RawRows {
  readonly #tables = new Map<string, Map<string, RawRow>>();
  #lastTransaction = '00000000-0000-0000-0000-000000000000';
  onPortSent: ((sent: string) => void) | undefined;

  get size(): number {
    let total = 0;
    for (const rows of this.#tables.values()) total += rows.size;
    return total;
  }

  /** Copies everything, or what changed since the last time, and has the server send what changes from now on. */
  async follow(client: RawClient): Promise<void> {
    const reply = await client.call('monitor_cond_since', [
      ...(await monitorOfAll(client)),
      this.#lastTransaction,
    ]);
    const [found, transaction, updates] = reply as readonly [boolean, string, RawUpdates];
    if (!found) this.#tables.clear();
    this.#apply(updates);
    this.#lastTransaction = transaction;
  }

  /** Takes the parameters of an `update3`. */
  update(params: readonly unknown[]): void {
    const [, transaction, updates] = params as readonly [unknown, string, RawUpdates];
    this.#apply(updates);
    this.#lastTransaction = transaction;
  }

  /** Compares JSON with JSON, which is right as long as both come from the same server. */
  comparison(): Comparison {
    const wanted = [...this.#tables].flatMap(([table, rows]) =>
      [...rows].map(([uuid, row]) => ({ table, uuid, row: structuredClone(row) })),
    );
    return {
      count: wanted.length,
      differing: (from, to) => {
        let differing = 0;
        for (let nth = from; nth < to; nth += 1) {
          const one = wanted[nth];
          const live = one === undefined ? undefined : this.#tables.get(one.table)?.get(one.uuid);
          if (!isEqual(one?.row, live)) differing += 1;
        }
        return differing;
      },
    };
  }

  #apply(updates: RawUpdates): void {
    for (const [table, changes] of Object.entries(updates)) {
      const rows = this.#tables.get(table) ?? new Map<string, RawRow>();
      this.#tables.set(table, rows);
      for (const [uuid, { initial, insert, modify }] of Object.entries(changes)) {
        const added = initial ?? insert;
        if (added !== undefined) rows.set(uuid, added);
        else if (modify === undefined) rows.delete(uuid);
        else Object.assign(rows.get(uuid) ?? {}, modify);
        if (insert !== undefined && table === 'Logical_Switch_Port') this.#tellPort(insert);
      }
    }
  }

  #tellPort(row: RawRow): void {
    const [, entries = []] = (row['external_ids'] ?? []) as readonly [string?, Entries?];
    const sent = entries.find(([key]) => key === 'sent');
    if (sent !== undefined) this.onPortSent?.(sent[1]);
  }
}

type Entries = readonly (readonly [key: string, value: string])[];

/** The parameters of a monitor of all columns of all tables, but for the last transaction. */
export async function monitorOfAll(client: RawClient): Promise<readonly [string, string, unknown]> {
  const schema = (await client.call('get_schema', ['OVN_Northbound'])) as {
    readonly tables: Readonly<Record<string, { readonly columns: object }>>;
  };
  const requests = Object.fromEntries(
    Object.entries(schema.tables).map(([table, { columns }]) => [table, [{ columns: Object.keys(columns) }]]),
  );
  return ['OVN_Northbound', 'all', requests];
}

/** Whether two pieces of JSON are equal, order included. */
function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  for (const key in a) {
    if (!isEqual((a as RawRow)[key], (b as RawRow)[key])) return false;
  }
  return true;
}
