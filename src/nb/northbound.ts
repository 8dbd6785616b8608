import { reached } from '../model/fault-point.ts';
import type { UnitName } from '../model/nb.ts';
import type { Convergence } from '../model/status.ts';
import type { Database, DatabaseSchema, Row } from '../ovsdb/index.ts';
import { openDatabase, supportsClientUuid } from '../ovsdb/index.ts';
import type { CommitOutcome, Northbound, NbTransaction } from '../reconcile/northbound.ts';
import { ChassisWatch } from './chassis-watch.ts';
import { convergenceOf } from './confirm.ts';
import { LiveIndex, type References } from './live-index.ts';
import { outcomeOf } from './outcome.ts';

/** Where the databases are and whose rows count as ours. */
export interface NorthboundOptions {
  /** `unix:PATH`, `tcp:IP:PORT` or `ssl:IP:PORT`; several for a cluster. */
  readonly remotes: readonly string[];
  /** The Southbound, for the proof on every chassis. */
  readonly southbound: readonly string[] | undefined;
  /** Tables and columns of the Northbound that the replica holds; NB_Global is one of them. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  /** Name of the installation. */
  readonly owner: string;
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string } | undefined;
  readonly clock: () => number;
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void;
}

/**
 * Opens the Northbound and keeps a replica of what we manage. Rejects with an OvsdbError for a wrong endpoint or a
 * server without the needed tables; a server that is merely away is waited for until `signal` fires.
 */
export async function openNorthbound(
  options: NorthboundOptions,
  signal: AbortSignal,
): Promise<NorthboundDatabase> {
  const tls = options.tls === undefined ? {} : { tls: options.tls };
  const shared = { ...tls, log: options.log };
  const wanted = {
    remotes: options.remotes,
    database: 'OVN_Northbound',
    tables: options.tables,
    leaderOnly: true,
  };
  const northbound = await openDatabase({ ...shared, ...wanted }, signal);
  const southbound =
    options.southbound === undefined
      ? undefined
      : new ChassisWatch({ ...shared, remotes: options.southbound }, (reason) =>
          options.log('southbound unusable', { reason }),
        );
  return new NorthboundDatabase(northbound, southbound, options);
}

/** The live Northbound over OVSDB. */
export class NorthboundDatabase implements Northbound {
  readonly #northbound: Database;
  readonly #southbound: ChassisWatch | undefined;
  readonly #options: NorthboundOptions;
  readonly #listeners = new Set<(units: ReadonlySet<UnitName>) => void>();
  readonly live: LiveIndex;

  constructor(northbound: Database, southbound: ChassisWatch | undefined, options: NorthboundOptions) {
    this.#northbound = northbound;
    this.#southbound = southbound;
    this.#options = options;
    const rows = {
      row: (table: string, uuid: string) => northbound.row(table, uuid as Row['_uuid']),
      referrers: (uuid: string) => northbound.referrers(uuid as Row['_uuid']),
    };
    this.live = new LiveIndex(options.owner, rows, referencesIn(northbound.schema, options.tables));
    for (const table of Object.keys(options.tables)) {
      for (const row of northbound.rows(table).values()) {
        this.live.apply([{ table, uuid: row._uuid, before: undefined, after: row }]);
      }
    }
    northbound.onChange((changes) => {
      const units = this.live.apply(changes.filter((change) => change.table !== 'NB_Global'));
      for (const listener of this.#listeners) listener(units);
    });
  }

  get isLive(): boolean {
    return this.#northbound.state === 'live';
  }

  resynced(signal: AbortSignal): Promise<void> {
    return this.#northbound.resynced(signal);
  }

  get schema(): DatabaseSchema {
    return this.#northbound.schema;
  }

  get globalUuid(): string | undefined {
    return this.#global()?._uuid;
  }

  record(key: string): string | undefined {
    const ids = this.#global()?.['external_ids'];
    const text: unknown = ids instanceof Map ? ids.get(key) : undefined;
    return typeof text === 'string' ? text : undefined;
  }

  async transact(transaction: NbTransaction, signal: AbortSignal): Promise<CommitOutcome> {
    // Without it a replayed insert would make a second row. A lost connection looks the same: it is asked again.
    if (!(await supportsClientUuid(this.#northbound))) {
      const reason =
        'the server takes no row UUIDs of the client (Open vSwitch 2.13 or newer does), or went away';
      return { kind: 'unavailable', reason };
    }
    reached('transaction to be sent');
    const reply = this.#northbound.transact(transaction.operations, { signal });
    reached('transaction sent');
    const outcome = await reply;
    reached('reply seen');
    return outcomeOf(outcome, transaction);
  }

  convergence(nbCfg: number): Convergence {
    return convergenceOf(nbCfg, this.#global(), this.#southbound?.chassis(), this.#options.clock());
  }

  get progress(): { readonly nbCfg: number; readonly sbCfg: number } {
    const global = this.#global();
    return { nbCfg: Number(global?.['nb_cfg'] ?? 0), sbCfg: Number(global?.['sb_cfg'] ?? 0) };
  }

  get provesChassis(): boolean {
    return this.#southbound !== undefined;
  }

  onProgress(listener: () => void): () => void {
    const stopNorthbound = this.#northbound.onChange((changes) => {
      if (changes.some((change) => change.table === 'NB_Global')) listener();
    });
    const stopSouthbound = this.#southbound?.onChange(listener);
    return () => {
      stopNorthbound();
      stopSouthbound?.();
    };
  }

  onUnits(listener: (units: ReadonlySet<UnitName>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    await Promise.all([this.#northbound.close(), this.#southbound?.close()]);
  }

  #global(): Row | undefined {
    const [row] = this.#northbound.rows('NB_Global').values();
    return row;
  }
}

/** The columns of the replica that refer to rows of the replica. */
function referencesIn(schema: DatabaseSchema, tables: NorthboundOptions['tables']): References {
  return new Map(
    Object.entries(tables).map(([table, columns]) => {
      const references = columns.flatMap((column) => {
        const referred = schema.tables.get(table)?.columns.get(column)?.key.refTable;
        return referred !== undefined && referred in tables ? [[column, referred] as const] : [];
      });
      return [table, new Map(references)];
    }),
  );
}
