import type { Socket } from 'node:net';
import type { Limits } from '../protocol/framing.ts';
import { parseJson } from '../protocol/json.ts';
import { errorText } from '../protocol/outcome.ts';
import type { DatabaseSchema } from '../protocol/schema.ts';
import { type TableUpdates, UpdateReader } from '../protocol/update-reader.ts';
import type { RowChange } from '../replica/row-change.ts';
import { Connection, type Reply } from './connection.ts';
import type { Locks } from './locks.ts';
import { Monitor } from './monitor.ts';
import { canonicalText, planOf, replan } from './plan.ts';
import { unknownDatabase } from './request-once.ts';
import { SCHEMA_COLUMNS, ServerWatch, WATCHED_COLUMNS } from './server-watch.ts';
import { NO_TRANSACTION, type Standing } from './standing.ts';

/** What a session works on, and whom it tells. */
export interface SessionOptions {
  readonly socket: Socket;
  readonly database: string;
  readonly leaderOnly: boolean;
  readonly probeIntervalMs: number;
  readonly limits: Limits;
  readonly standing: Standing;
  readonly locks: Locks;
  /** The replica is in step from now on. */
  readonly onLive: () => void;
  /** The replica is out of step until `onLive`, though the connection stays. */
  readonly onPause: (reason: string) => void;
  readonly onSchema: (schema: DatabaseSchema) => void;
  readonly onChanges: (changes: readonly RowChange[]) => void;
}

/** One connection's life: agree on the schema, copy or catch up, then follow. */
export class Session {
  readonly connection: Connection;
  readonly #options: SessionOptions;
  readonly #watch: ServerWatch;
  readonly #monitor: Monitor;
  #isWatched = false;
  /** Whatever changes the monitor goes one after the other. */
  #turns: Promise<void> = Promise.resolve();
  #isPaused = true;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#watch = new ServerWatch(options.database);
    this.connection = new Connection({
      socket: options.socket,
      probeIntervalMs: options.probeIntervalMs,
      limits: options.limits,
      onUpdates: (updates, params) => {
        this.#onUpdates(updates, params);
      },
      onNotification: (method, params) => {
        this.#onNotification(method, params);
      },
    });
    const { database, limits, standing, onSchema, onChanges } = options;
    this.#monitor = new Monitor({
      connection: this.connection,
      database,
      limits,
      standing,
      onSchema,
      onChanges,
    });
  }

  /**
   * Brings the replica in step; `onLive` is called at that moment.
   *
   * @throws OvsdbError when what is asked for does not exist; Error when another try may succeed.
   */
  start(): Promise<void> {
    return this.#inTurn(async () => {
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
      await this.#agree(schema);
    });
  }

  /**
   * Makes the replica of a live session what is wanted by now.
   *
   * @throws OvsdbError when that does not exist; Error when the session is not live any more.
   */
  adopt(): Promise<void> {
    return this.#inTurn(async () => {
      const { standing } = this.#options;
      const { plan, wanted } = standing;
      if (this.#isPaused || plan === undefined) throw new Error('the session is not live');
      await this.#monitor.adopt(replan(plan.schema, plan.schemaText, wanted));
    });
  }

  /** Follows the schema that the server has, until it has the same one before and after. */
  async #agree(schema: Reply): Promise<void> {
    const { database, standing, onLive } = this.#options;
    let now = schema;
    for (;;) {
      if (now.error !== null) throw schemaError(database, now.error);
      const plan = planOf(database, now.result, standing.wanted);
      await this.#monitor.follow(plan);
      // A conversion just before the monitor began canceled nothing: only this tells.
      now = await this.connection.call('get_schema', [database]);
      if (!this.#monitor.isRunning || canonicalText(now.result) !== plan.schemaText) continue;
      this.#isPaused = false;
      onLive();
      return;
    }
  }

  /** Agrees anew on the connection that is there; where that fails, the connection is given up. */
  #restart(reason: string): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#options.onPause(reason);
    this.#inTurn(async () => {
      await this.#agree(await this.connection.call('get_schema', [this.#options.database]));
    }).catch((error: unknown) => {
      this.connection.end(error instanceof Error ? error.message : String(error));
    });
  }

  #inTurn(turn: () => Promise<void>): Promise<void> {
    const done = this.#turns.then(turn);
    this.#turns = done.catch(() => {});
    return done;
  }

  async #watchServer(): Promise<void> {
    // Servers before 2.9 have no _Server: then there is nothing to watch.
    await Promise.all([
      this.#watchColumns(SERVER_MONITOR, WATCHED_COLUMNS, (updates) => {
        this.#isWatched = true;
        this.#watch.apply(updates);
      }),
      this.#watchColumns(SCHEMA_MONITOR, SCHEMA_COLUMNS, (updates) => this.#watch.applySchema(updates)),
    ]);
  }

  #watchColumns(
    monitor: string,
    columns: readonly string[],
    onFirst: (updates: TableUpdates) => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      this.connection.request('monitor', ['_Server', monitor, { Database: [{ columns }] }], {
        onReply: ({ result, error }) => {
          if (error === null) onFirst(result as TableUpdates);
          resolve();
        },
        onLost: (reason) => {
          reject(new Error(reason));
        },
      });
    });
  }

  /** Rows of an update, which `#onNotification` completes. */
  #onUpdates(updates: UpdateReader, [monitor]: readonly unknown[]): void {
    if (monitor === SERVER_MONITOR) this.#onServerUpdate(updates.toJson());
    else if (monitor === SCHEMA_MONITOR) this.#onSchemaUpdate(updates.toJson());
    else this.#monitor.read(monitor, updates);
  }

  #onNotification(method: string, params: readonly unknown[]): void {
    switch (method) {
      case 'update':
      case 'update2':
      case 'update3': {
        const [monitor, transaction] = params;
        this.#onUpdates(UpdateReader.of(params.at(-1) as TableUpdates), params);
        this.#monitor.update(monitor, method === 'update3' ? transaction : NO_TRANSACTION);
        break;
      }
      case 'locked':
      case 'stolen':
        this.#options.locks.onNotification(method, params[0]);
        break;
      case 'monitor_canceled':
        if (this.#monitor.canceled(params[0])) this.#restart('the server canceled the monitor');
        break;
      default:
        break;
    }
  }

  #onServerUpdate(updates: TableUpdates): void {
    this.#watch.apply(updates);
    const objection = this.#watch.objection(this.#options.leaderOnly, this.#options.standing.watermark);
    if (objection !== undefined) this.connection.end(objection);
  }

  #onSchemaUpdate(updates: TableUpdates): void {
    const text = this.#watch.applySchema(updates);
    // The monitor's end tells it too, and some servers write this column late or never.
    if (text === undefined || canonicalText(parseJson(text)) === this.#options.standing.plan?.schemaText)
      return;
    this.#restart('the schema was converted');
  }
}

const SERVER_MONITOR = 'server';
const SCHEMA_MONITOR = 'schema';

function schemaError(database: string, error: unknown): Error {
  const text = errorText(error);
  return text.includes('unknown database') ? unknownDatabase(database) : new Error(`get_schema: ${text}`);
}
