import type { Holder, LiveColumns, LiveValue } from '../../src/model/live.ts';
import type { NbState } from '../../src/model/nb.ts';
import { type LiveChange, LiveIndex } from '../../src/nb/live-index.ts';
import { CHILD_COLUMNS, COLUMNS } from '../../src/plan/columns.ts';
import { liveFromState } from '../../src/plan/live-from-state.ts';

const REFERRED: Readonly<Record<string, string>> = {
  load_balancer: 'Load_Balancer',
  dhcpv4_options: 'DHCP_Options',
  dhcpv6_options: 'DHCP_Options',
  gateway_port: 'Logical_Router_Port',
};

/** Columns that refer to rows, as ovn-nb(5) has them. */
const REFERENCES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(COLUMNS).map(([table, columns]) => {
    const references = new Map(Object.entries(CHILD_COLUMNS[table] ?? {}));
    for (const [column, rule] of Object.entries(columns)) {
      if (rule.kind !== 'reference' && rule.kind !== 'references') continue;
      references.set(column, REFERRED[column] ?? 'Logical_Switch_Port');
    }
    return [table, references];
  }),
);

export interface MemoryRow {
  readonly table: string;
  readonly columns: LiveColumns;
}

/** The rows of a Northbound in memory, edited the way a server lets them be: nothing refers to a row that is gone. */
export class MemoryNb {
  readonly rows: Map<string, MemoryRow> = new Map();
  readonly index: LiveIndex;

  constructor(owner: string) {
    const row = (table: string, uuid: string): LiveColumns | undefined => {
      const known = this.rows.get(uuid);
      return known?.table === table ? known.columns : undefined;
    };
    this.index = new LiveIndex(owner, { row, referrers: (uuid) => this.#referrers(uuid) }, REFERENCES);
  }

  /** Makes the rows those of a desired state, in one update. */
  load(state: NbState, owner: string): void {
    const live = liveFromState(state, owner);
    const wanted = [...state.rows.keys()].flatMap((key) => live.withKey(key));
    const uuids = new Set(wanted.map((row) => row.uuid));
    const gone = [...this.rows.keys()].filter((uuid) => !uuids.has(uuid));
    this.update([
      ...gone.map((uuid) => [uuid, undefined] as const),
      ...wanted.map((row) => [row.uuid, { table: row.table, columns: row.columns }] as const),
    ]);
  }

  /** One update of the server: rows by UUID as they are after it, undefined for those that are gone. */
  update(edits: Iterable<readonly [uuid: string, row: MemoryRow | undefined]>): void {
    const before = new Map<string, MemoryRow | undefined>();
    const put = (uuid: string, row: MemoryRow | undefined): void => {
      if (!before.has(uuid)) before.set(uuid, this.rows.get(uuid));
      if (row === undefined) this.rows.delete(uuid);
      else this.rows.set(uuid, row);
    };
    for (const [uuid, row] of edits) put(uuid, row);
    for (const [uuid, row] of this.rows) {
      const columns = this.#withoutLost(row);
      if (columns !== undefined) put(uuid, { table: row.table, columns });
    }
    this.index.apply([...before].map(([uuid, old]) => this.#change(uuid, old)));
  }

  #change(uuid: string, old: MemoryRow | undefined): LiveChange {
    const row = this.rows.get(uuid);
    const table = row?.table ?? old?.table ?? '';
    return { table, uuid, before: old?.columns, after: row?.columns };
  }

  #withoutLost({ table, columns }: MemoryRow): LiveColumns | undefined {
    const kept: Record<string, LiveValue> = {};
    for (const column of REFERENCES.get(table)?.keys() ?? []) {
      const known = members(columns[column]);
      const left = known.filter((uuid) => this.rows.has(uuid));
      if (left.length < known.length) kept[column] = left;
    }
    return Object.keys(kept).length === 0 ? undefined : { ...columns, ...kept };
  }

  #referrers(uuid: string): readonly Holder[] {
    return [...this.rows].flatMap(([holder, { table, columns }]) =>
      [...(REFERENCES.get(table)?.keys() ?? [])]
        .filter((column) => members(columns[column]).includes(uuid))
        .map((column) => ({ table, uuid: holder, column })),
    );
  }
}

function members(value: LiveValue): readonly string[] {
  if (value === undefined || value instanceof Map) return [];
  return Array.isArray(value) ? (value as readonly string[]) : [value as string];
}
