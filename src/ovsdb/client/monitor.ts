import type { Limits } from '../protocol/framing.ts';
import { errorText } from '../protocol/outcome.ts';
import type { DatabaseSchema } from '../protocol/schema.ts';
import { ProtocolError, isUuid } from '../protocol/value.ts';
import { type TableUpdates, UpdateReader } from '../protocol/update-reader.ts';
import type { ReplicaUpdate } from '../replica/replica-update.ts';
import { Replica } from '../replica/replica.ts';
import type { RowChange } from '../replica/row-change.ts';
import type { Connection, Reply } from './connection.ts';
import { OvsdbError } from './error.ts';
import { type Plan, badCondition, haveSameConditions, haveSameRows, whereOf } from './plan.ts';
import { NO_TRANSACTION, type Standing } from './standing.ts';

/** What a monitor works on, and whom it tells. */
export interface MonitorOptions {
  readonly connection: Connection;
  readonly database: string;
  readonly limits: Limits;
  readonly standing: Standing;
  readonly onSchema: (schema: DatabaseSchema) => void;
  readonly onChanges: (changes: readonly RowChange[]) => void;
}

/** Keeps the replica in step over one connection. */
export class Monitor {
  readonly #options: MonitorOptions;
  #method: MonitorMethod | undefined;
  /** Each monitor of a connection has an id of its own, so that late updates of the one before are told apart. */
  #count = 0;
  #current: string | undefined;
  /** The part of an update that was read so far. */
  #update: ReplicaUpdate | undefined;

  constructor(options: MonitorOptions) {
    this.#options = options;
  }

  /** Whether updates come in. */
  get isRunning(): boolean {
    return this.#current !== undefined;
  }

  /**
   * Makes the replica what the plan wants, by the newest method that the server knows; until the copy is there, the
   * monitor before goes on.
   *
   * @throws OvsdbError `bad-condition` or `unsuitable-server`; Error when another try may succeed.
   */
  async follow(plan: Plan): Promise<void> {
    for (const method of MONITOR_METHODS) {
      if (method === 'monitor' && plan.conditions.size > 0) throw noConditions();
      if (await this.#start(method, plan)) return;
    }
    throw new Error('the server knows no way to monitor tables');
  }

  /** The same for a monitor that runs: where only conditions differ, the server sends only what they change. */
  async adopt(plan: Plan): Promise<void> {
    const current = this.#options.standing.plan;
    if (current === undefined || !haveSameRows(current, plan)) return this.follow(plan);
    if (haveSameConditions(current, plan)) return;
    if (this.#method === 'monitor') throw noConditions();
    await this.#changeConditions(current, plan);
  }

  /** Rows of an update; those of a monitor that was replaced say nothing new. */
  read(id: unknown, updates: UpdateReader): void {
    const { replica } = this.#options.standing;
    if (id !== this.#current || replica === undefined) return;
    this.#update ??= replica.update();
    this.#takeIn(this.#update, updates);
  }

  /** The end of an update. */
  update(id: unknown, transaction: unknown): void {
    const { replica } = this.#options.standing;
    if (id !== this.#current || replica === undefined) return;
    const newest = transactionId(transaction);
    const update = this.#update ?? replica.update();
    this.#update = undefined;
    this.#report(newest, this.#commit(replica, update));
  }

  /** The server ended a monitor (ovsdb-server(7) 4.1.7). Whether it was the one that the replica hangs on. */
  canceled(id: unknown): boolean {
    if (id !== this.#current) return false;
    this.#current = undefined;
    return true;
  }

  /** Resolves to false when the server does not know the method. */
  #start(method: MonitorMethod, plan: Plan): Promise<boolean> {
    const { connection, database, limits, standing } = this.#options;
    const id = `data-${++this.#count}`;
    const { plan: held, replica: kept } = standing;
    const replica =
      kept !== undefined && held !== undefined && haveSameRows(held, plan)
        ? kept
        : new Replica(plan.schema, plan.selection, limits.maxRows);
    const canCatchUp = replica === kept && held !== undefined && haveSameConditions(held, plan);
    const since =
      method === 'monitor_cond_since' ? [canCatchUp ? standing.lastTransaction : NO_TRANSACTION] : [];
    const load = replica.load();
    const caughtUp = replica.update();
    standing.failedLoads++;
    return new Promise((resolve, reject) => {
      connection.request(method, [database, id, monitorRequests(method, plan), ...since], {
        // The server is silent while it writes a large reply; whoever gave up too early waits longer the next time.
        patienceMs: firstCopyPatienceMs(standing.failedLoads - 1),
        onUpdates: (updates, reply) => {
          if (readMonitorReply(method, reply).found) this.#takeIn(caughtUp, updates);
          else load.add(updates);
        },
        onReply: (reply) => {
          if (reply.error !== null) {
            standing.failedLoads--;
            if (errorText(reply.error).includes('unknown method')) resolve(false);
            else reject(refusal(method, reply.error, plan));
            return;
          }
          const { found, transaction, updates } = readMonitorReply(method, reply);
          if (found) this.#takeIn(caughtUp, updates);
          else load.add(updates);
          standing.failedLoads = 0;
          this.#replace(id, method);
          const dropped = this.#install(replica, plan);
          const changes = found ? this.#commit(replica, caughtUp) : replica.replaceWith(load);
          this.#report(transaction, [...dropped, ...changes]);
          resolve(true);
        },
        onLost: (reason) => {
          reject(new Error(reason));
        },
      });
    });
  }

  #replace(id: string, method: MonitorMethod): void {
    if (this.#current !== undefined) {
      this.#options.connection.request('monitor_cancel', [this.#current], { onReply: () => {} });
    }
    this.#current = id;
    this.#method = method;
  }

  /** Puts a replica in the place of the one before. Returns the rows of tables that it does not have. */
  #install(replica: Replica, plan: Plan): readonly RowChange[] {
    const { standing, onSchema } = this.#options;
    const { replica: previous, plan: held } = standing;
    const dropped = previous === undefined || previous === replica ? [] : replica.inherit(previous);
    standing.replica = replica;
    standing.plan = plan;
    if (held !== undefined && held.schemaText !== plan.schemaText) onSchema(plan.schema);
    return dropped;
  }

  /** `monitor_cond_change` (ovsdb-server(7) 4.1.13); the update that it causes comes before the reply. */
  async #changeConditions(held: Plan, plan: Plan): Promise<void> {
    const { connection, standing } = this.#options;
    const requests = Object.fromEntries(
      [...plan.selection.keys()].map((table) => [table, [{ where: whereOf(plan.conditions, table) }]]),
    );
    // Should the connection end before the reply, nobody knows which rows the replica has: only a full copy helps.
    standing.plan = { ...held, conditions: UNKNOWN_CONDITIONS };
    const id = this.#current;
    const reply = await connection.call('monitor_cond_change', [id, id, requests]);
    standing.plan = reply.error === null ? plan : held;
    if (reply.error !== null) throw refusal('monitor_cond_change', reply.error, plan);
  }

  #takeIn(update: ReplicaUpdate, updates: UpdateReader): void {
    this.#orCopy(() => {
      update.add(updates);
    });
  }

  #commit(replica: Replica, update: ReplicaUpdate): readonly RowChange[] {
    return this.#orCopy(() => replica.commit(update));
  }

  /** What does not fit means that something was missed: only a complete copy helps. */
  #orCopy<T>(step: () => T): T {
    try {
      return step();
    } catch (error) {
      this.#options.standing.lastTransaction = NO_TRANSACTION;
      throw error;
    }
  }

  #report(transaction: string, changes: readonly RowChange[]): void {
    this.#options.standing.lastTransaction = transaction;
    if (changes.length > 0) this.#options.onChanges(changes);
  }
}

/**
 * How long the server may be silent before a first copy, in milliseconds: a minute, and twice as long after each copy
 * that was cut off, up to an hour.
 */
export function firstCopyPatienceMs(failedLoads: number): number {
  return 60_000 * Math.min(2 ** failedLoads, 60);
}

type MonitorMethod = (typeof MONITOR_METHODS)[number];

/** Equal to none that can be asked for. */
const UNKNOWN_CONDITIONS: Plan['conditions'] = new Map([['', []]]);

/** Newest first: ovsdb-server(7) 4.1.15 and 4.1.12, RFC 7047 4.1.5. */
const MONITOR_METHODS = ['monitor_cond_since', 'monitor_cond', 'monitor'] as const;

function monitorRequests(method: MonitorMethod, plan: Plan): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...plan.selection].map(([table, columns]) => {
      const where =
        method !== 'monitor' && plan.conditions.has(table) ? { where: whereOf(plan.conditions, table) } : {};
      return [table, [{ columns, ...where }]];
    }),
  );
}

function readMonitorReply(
  method: MonitorMethod,
  { result }: Reply,
): { readonly found: boolean; readonly transaction: string; readonly updates: UpdateReader } {
  if (method !== 'monitor_cond_since') {
    return { found: false, transaction: NO_TRANSACTION, updates: UpdateReader.of(result as TableUpdates) };
  }
  const [found, transaction, updates] = result as readonly [unknown, unknown, TableUpdates];
  if (typeof found !== 'boolean') throw new ProtocolError('a monitor reply does not say what it holds');
  return { found, transaction: transactionId(transaction), updates: UpdateReader.of(updates) };
}

/** What is kept is sent back at the next monitor: a server that refused it would be refused for ever. */
function transactionId(id: unknown): string {
  if (typeof id !== 'string' || !isUuid(id)) throw new ProtocolError('a transaction has no id');
  return id;
}

/** What was checked against the schema can only be refused for a condition, or because the schema is another by now. */
function refusal(method: string, error: unknown, plan: Plan): Error {
  const text = errorText(error);
  const { error: tag } = (error ?? {}) as { readonly error?: unknown };
  if (plan.conditions.size > 0 && CONDITION_ERRORS.has(tag)) return badCondition(text);
  return new Error(`${method}: ${text}`);
}

/** RFC 7047 3.1, 5.1: how ovsdb-server calls values that do not fit a column. */
const CONDITION_ERRORS: ReadonlySet<unknown> = new Set([
  'syntax error',
  'ovsdb error',
  'constraint violation',
]);

function noConditions(): OvsdbError {
  return new OvsdbError(
    'unsuitable-server',
    'the server cannot send a part of a table: it knows no monitor_cond',
    'ask for whole tables, or upgrade the server to Open vSwitch 2.6 or newer',
  );
}
