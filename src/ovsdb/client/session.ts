import type { Socket } from 'node:net';
import { stringifyJson } from '../protocol/json.ts';
import type { TableUpdates } from '../protocol/message.ts';
import { errorText } from '../protocol/outcome.ts';
import { type DatabaseSchema, parseSchema } from '../protocol/schema.ts';
import { Replica, type Selection } from '../replica/replica.ts';
import type { RowChange } from '../replica/row-change.ts';
import { type WantedTables, selectTables } from '../replica/selection.ts';
import { Connection, type Reply } from './connection.ts';
import { OvsdbError } from './error.ts';
import type { Locks } from './locks.ts';
import { ServerWatch, WATCHED_COLUMNS, type Watermark } from './server-watch.ts';

/** What outlives a connection. */
export interface Standing {
  replica: Replica | undefined;
  selection: Selection;
  schemaText: string;
  /** The newest transaction that the replica holds; zero when the server gave none. */
  lastTransaction: string;
  readonly watermark: Watermark;
  /** First copies in a row that were cut off: each one makes the next more patient. */
  failedLoads: number;
}

/** The standing of a client that was never connected. */
export function newStanding(): Standing {
  return {
    replica: undefined,
    selection: new Map(),
    schemaText: '',
    lastTransaction: NO_TRANSACTION,
    watermark: { cluster: undefined, index: 0 },
    failedLoads: 0,
  };
}

export interface SessionOptions {
  readonly socket: Socket;
  readonly database: string;
  readonly tables: WantedTables | undefined;
  readonly leaderOnly: boolean;
  readonly probeIntervalMs: number;
  readonly standing: Standing;
  readonly locks: Locks;
  readonly onLive: () => void;
  readonly onChanges: (changes: readonly RowChange[]) => void;
}

/** One connection's life: agree on the schema, copy or catch up, then follow. */
export class Session {
  readonly connection: Connection;
  readonly #options: SessionOptions;
  readonly #watch: ServerWatch;
  #isWatched = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#watch = new ServerWatch(options.database);
    this.connection = new Connection({
      socket: options.socket,
      probeIntervalMs: options.probeIntervalMs,
      onNotification: (method, params, parts) => {
        this.#onNotification(method, params, parts);
      },
    });
  }

  /**
   * Brings the replica in step; `onLive` is called at that moment.
   *
   * @throws OvsdbError when what is asked for does not exist; Error when another try may succeed.
   */
  async start(): Promise<void> {
    const { database, leaderOnly, standing } = this.#options;
    const [schema] = await Promise.all([
      this.connection.call('get_schema', [database]),
      this.#watchServer(),
      // Without this the server drops connections instead of telling what changed (ovsdb-server(7) 4.1.18).
      this.connection.call('set_db_change_aware', [true]),
    ]);
    if (this.#isWatched && this.#watch.isServed) {
      const objection = this.#watch.objection(leaderOnly, standing.watermark);
      if (objection !== undefined) throw new Error(objection);
    }
    if (schema.error !== null) throw schemaError(database, schema.error);
    const dropped = this.#adoptSchema(schema.result);
    for (const method of MONITOR_METHODS) {
      if (await this.#monitor(method, dropped)) return;
    }
    throw new Error('the server knows no way to monitor tables');
  }

  async #watchServer(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.connection.request(
        'monitor',
        ['_Server', SERVER_MONITOR, { Database: [{ columns: WATCHED_COLUMNS }] }],
        {
          onReply: ({ result, error }) => {
            // Servers before 2.9 have no _Server: then there is nothing to watch.
            this.#isWatched = error === null;
            if (error === null) this.#watch.apply(result as TableUpdates);
            resolve();
          },
          onLost: (reason) => {
            reject(new Error(reason));
          },
        },
      );
    });
  }

  /** Keeps the replica if the schema is the one that it was made for. Returns what a new schema took away. */
  #adoptSchema(json: unknown): readonly RowChange[] {
    const { standing, database, tables } = this.#options;
    const schemaText = stringifyJson(json);
    if (standing.replica !== undefined && standing.schemaText === schemaText) return [];
    const schema = parseSchema(json);
    if (!schema.ok) throw new Error(`the schema of ${database} cannot be read: ${schema.error}`);
    const selection = wantedOf(schema.value, tables);
    const replica = new Replica(schema.value, selection);
    const dropped = standing.replica === undefined ? [] : replica.inherit(standing.replica);
    standing.replica = replica;
    standing.selection = selection;
    standing.schemaText = schemaText;
    standing.lastTransaction = NO_TRANSACTION;
    return dropped;
  }

  /** Resolves to false when the server does not know the method. */
  #monitor(method: MonitorMethod, dropped: readonly RowChange[]): Promise<boolean> {
    const { standing, database } = this.#options;
    const { replica } = standing;
    if (replica === undefined) throw new Error('there is no schema');
    const requests = Object.fromEntries(
      [...standing.selection].map(([table, columns]) => [table, [{ columns }]]),
    );
    const since = method === 'monitor_cond_since' ? [standing.lastTransaction] : [];
    const load = replica.load();
    const caughtUp: TableUpdates[] = [];
    standing.failedLoads++;
    return new Promise((resolve, reject) => {
      this.connection.request(method, [database, DATA_MONITOR, requests, ...since], {
        // The server is silent while it writes a large reply; whoever gave up too early waits longer the next time.
        patienceMs: FIRST_COPY_PATIENCE_MS * 2 ** Math.min(standing.failedLoads - 1, 6),
        onPart: (part, reply) => {
          if (readMonitorReply(method, reply).found) caughtUp.push(part);
          else load.add(part);
        },
        onReply: (reply) => {
          if (reply.error !== null) {
            standing.failedLoads--;
            if (errorText(reply.error).includes('unknown method')) resolve(false);
            else reject(new Error(`${method}: ${errorText(reply.error)}`));
            return;
          }
          const { found, transaction, updates } = readMonitorReply(method, reply);
          if (found) caughtUp.push(updates);
          else load.add(updates);
          const changes = found ? this.#apply(replica, caughtUp) : replica.replaceWith(load);
          standing.failedLoads = 0;
          this.#report(transaction, [...dropped, ...changes]);
          this.#options.onLive();
          resolve(true);
        },
        onLost: (reason) => {
          reject(new Error(reason));
        },
      });
    });
  }

  #onNotification(
    method: string,
    params: readonly unknown[],
    parts: readonly TableUpdates[] | undefined,
  ): void {
    switch (method) {
      case 'update':
      case 'update2':
      case 'update3': {
        const [monitor, transaction] = params;
        const updates = parts ?? [params.at(-1) as TableUpdates];
        if (monitor === SERVER_MONITOR) this.#onServerUpdate(updates);
        else this.#onUpdate(method === 'update3' ? (transaction as string) : NO_TRANSACTION, updates);
        break;
      }
      case 'locked':
      case 'stolen':
        this.#options.locks.onNotification(method, params[0]);
        break;
      case 'monitor_canceled':
        this.connection.end('the server canceled the monitor');
        break;
      default:
        break;
    }
  }

  #onServerUpdate(updates: readonly TableUpdates[]): void {
    for (const update of updates) this.#watch.apply(update);
    const objection = this.#watch.objection(this.#options.leaderOnly, this.#options.standing.watermark);
    if (objection !== undefined) this.connection.end(objection);
  }

  #onUpdate(transaction: string, updates: readonly TableUpdates[]): void {
    const { standing } = this.#options;
    if (standing.replica === undefined) return;
    this.#report(transaction, this.#apply(standing.replica, updates));
  }

  #apply(replica: Replica, updates: readonly TableUpdates[]): readonly RowChange[] {
    try {
      const changes = replica.stage(updates);
      replica.commit(changes);
      return changes;
    } catch (error) {
      // What does not fit means that something was missed: only a complete copy helps.
      this.#options.standing.lastTransaction = NO_TRANSACTION;
      throw error;
    }
  }

  #report(transaction: string, changes: readonly RowChange[]): void {
    this.#options.standing.lastTransaction = transaction;
    if (changes.length > 0) this.#options.onChanges(changes);
  }
}

type MonitorMethod = (typeof MONITOR_METHODS)[number];

/** Newest first: ovsdb-server(7) 4.1.15 and 4.1.12, RFC 7047 4.1.5. */
const MONITOR_METHODS = ['monitor_cond_since', 'monitor_cond', 'monitor'] as const;
const NO_TRANSACTION = '00000000-0000-0000-0000-000000000000';
const SERVER_MONITOR = 'server';
const DATA_MONITOR = 'data';
const FIRST_COPY_PATIENCE_MS = 60_000;

function readMonitorReply(
  method: MonitorMethod,
  reply: Reply,
): { readonly found: boolean; readonly transaction: string; readonly updates: TableUpdates } {
  if (method !== 'monitor_cond_since') {
    return { found: false, transaction: NO_TRANSACTION, updates: reply.result as TableUpdates };
  }
  const [found, transaction, updates] = reply.result as readonly [boolean, string, TableUpdates];
  return { found, transaction, updates };
}

function wantedOf(schema: DatabaseSchema, tables: WantedTables | undefined): Selection {
  const { selection, missing } = selectTables(schema, tables);
  if (missing.length === 0) return selection;
  throw new OvsdbError(
    'unsuitable-schema',
    `database ${schema.name} ${schema.version} has no ${missing.join(', ')}`,
    'ask for tables and columns that its schema has, or upgrade the server',
  );
}

function schemaError(database: string, error: unknown): Error {
  const text = errorText(error);
  if (!text.includes('unknown database')) return new Error(`get_schema: ${text}`);
  return new OvsdbError(
    'unknown-database',
    `the server has no database ${database}`,
    'check the name and the remote: `ovsdb-client list-dbs REMOTE` lists what a server has',
  );
}
