import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_LIMITS } from '../protocol/framing.ts';
import type { Operation } from '../protocol/operation.ts';
import type { TransactOutcome } from '../protocol/outcome.ts';
import type { DatabaseSchema } from '../protocol/schema.ts';
import type { Row, Uuid } from '../protocol/value.ts';
import type { Referrer } from '../replica/references.ts';
import type { Replica, Snapshot } from '../replica/replica.ts';
import type { RowChange } from '../replica/row-change.ts';
import type { IndexBy, RowIndex } from '../replica/row-index.ts';
import type { WantedTables } from '../replica/selection.ts';
import { unlessAborted, untilCalled } from './abort.ts';
import type { Database, DatabaseState, TransactOptions } from './database.ts';
import { OvsdbError } from './error.ts';
import { Listeners } from './listeners.ts';
import { type Lock, Locks } from './locks.ts';
import type { DatabaseOptions } from './options.ts';
import { replan } from './plan.ts';
import { RemoteOrder } from './remote-order.ts';
import type { Remote } from './remote.ts';
import { RENEWED, endWhenRenewed } from './renewal.ts';
import { Session } from './session.ts';
import type { Link } from './socket.ts';
import { newStanding } from './standing.ts';
import { transactOver } from './transact.ts';

/** A database over all its connections, one after the other. */
export class FollowedDatabase implements Database {
  readonly #options: DatabaseOptions;
  readonly #remotes: readonly Remote[];
  readonly #standing;
  readonly #locks = new Locks();
  readonly #changes = new Listeners<[readonly RowChange[]]>();
  readonly #schemas = new Listeners<[DatabaseSchema]>();
  readonly #states = new Listeners<[DatabaseState]>();
  readonly #attempts = new Listeners<[Error?]>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** Calls of `want`, one after the other. */
  #wants: Promise<void> = Promise.resolve();
  /** The session that is live. */
  #session: Session | undefined;
  #state: DatabaseState = 'connecting';
  #trouble: string | undefined = 'no server was reached yet';
  #liveSince = 0;
  #transactions = 0;

  constructor(options: DatabaseOptions, remotes: readonly Remote[]) {
    this.#options = options;
    this.#remotes = remotes;
    this.#standing = newStanding(options.tables);
    this.#running = this.#run();
  }

  get schema(): DatabaseSchema {
    return this.#replica.schema;
  }

  get state(): DatabaseState {
    return this.#state;
  }

  get trouble(): string | undefined {
    return this.#state === 'live' ? undefined : this.#trouble;
  }

  rows(table: string): ReadonlyMap<Uuid, Row> {
    return this.#replica.rows(table);
  }

  row(table: string, uuid: Uuid): Row | undefined {
    return this.#replica.rows(table).get(uuid);
  }

  index(table: string, by: IndexBy): RowIndex {
    return this.#replica.index(table, by);
  }

  snapshot(): Snapshot {
    return this.#replica.snapshot();
  }

  referrers(uuid: Uuid): readonly Referrer[] {
    return this.#replica.referrers(uuid);
  }

  onChange(listener: (changes: readonly RowChange[]) => void): () => void {
    return this.#changes.add(listener);
  }

  onSchema(listener: (schema: DatabaseSchema) => void): () => void {
    return this.#schemas.add(listener);
  }

  onState(listener: (state: DatabaseState) => void): () => void {
    return this.#states.add(listener);
  }

  /** Calls back whenever the replica is in step, and with the error when what is wanted makes that impossible. */
  onAttempt(listener: (error?: Error) => void): () => void {
    return this.#attempts.add(listener);
  }

  want(tables: WantedTables | undefined, signal?: AbortSignal): Promise<void> {
    const done = this.#wants.then(() => this.#want(tables, signal));
    this.#wants = done.catch(() => {});
    return done;
  }

  async transact(operations: readonly Operation[], options: TransactOptions = {}): Promise<TransactOutcome> {
    const session = this.#session;
    if (session === undefined) return { kind: 'unsent', reason: `the database is ${this.#state}` };
    this.#transactions++;
    try {
      return await transactOver(session.connection, this.#options.database, operations, options);
    } finally {
      this.#transactions--;
    }
  }

  async lock(name: string, { steal = false }: { readonly steal?: boolean } = {}): Promise<Lock> {
    if (this.#state === 'closed') throw closed();
    return this.#locks.take(name, steal ? 'steal' : 'lock');
  }

  async resynced(signal?: AbortSignal): Promise<void> {
    for (;;) {
      if (this.#state === 'closed') throw closed();
      const session = this.#session;
      let isInStep = false;
      await untilCalled((done) => {
        if (session === undefined) return this.#states.add(() => done());
        session.connection.request('echo', ['resynced'], {
          onReply: () => {
            // Not if the server took the monitor away meanwhile.
            isInStep = this.#session === session;
            done();
          },
          onLost: () => done(),
        });
        return () => {};
      }, signal);
      if (isInStep) return;
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  get #replica(): Replica {
    const { replica } = this.#standing;
    if (replica === undefined) throw closed();
    return replica;
  }

  async #want(tables: WantedTables | undefined, signal: AbortSignal | undefined): Promise<void> {
    const standing = this.#standing;
    const { wanted: before, plan } = standing;
    if (plan !== undefined && this.#state !== 'closed') replan(plan.schema, plan.schemaText, tables);
    standing.wanted = tables;
    try {
      for (;;) {
        if (this.#state === 'closed') throw closed();
        if (this.#session === undefined) await untilCalled((done) => this.onAttempt(done), signal);
        else if (await this.#adopt(this.#session, signal)) return;
      }
    } catch (error) {
      standing.wanted = before;
      // Where the wait was aborted, the change may be under way.
      if (this.#session !== undefined) void this.#adopt(this.#session, undefined).catch(() => {});
      throw error;
    }
  }

  /** Resolves to false when the session was not live long enough. */
  async #adopt(session: Session, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      await unlessAborted(session.adopt(), signal);
      return true;
    } catch (error) {
      if (error instanceof OvsdbError) throw error;
      // A connection that is over is taken away when that is known.
      if (session.connection.isOver) await session.connection.ended;
      return false;
    }
  }

  async #run(): Promise<void> {
    const { random = Math.random, log = () => {} } = this.#options;
    const { signal } = this.#stop;
    const order = new RemoteOrder(this.#remotes, random);
    let waitMs = 0;
    for (const { text, port } of this.#remotes) {
      if (port !== undefined) log('listening', { remote: text, port });
    }
    while (!signal.aborted) {
      const remote = order.next();
      this.#liveSince = Infinity;
      const reason = await this.#follow(remote);
      if (signal.aborted) break;
      if (reason === RENEWED) order.stay();
      const isStable = performance.now() - this.#liveSince >= Math.max(waitMs, STABLE_MS);
      const pauseMs = order.pauseMs(isStable);
      // A server that dials out has a back-off of its own.
      waitMs = remote.isPassive ? 0 : pauseMs;
      log('disconnected', { remote: remote.text, reason, waitMs });
      await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
    await Promise.all(this.#remotes.map((remote) => remote.close()));
    this.#locks.close();
    this.#setState('closed');
    this.#attempts.emit(closed());
  }

  /** Follows one server for as long as it goes; returns why it ended. */
  async #follow(remote: Remote): Promise<string> {
    const { tls } = this.#options;
    const { wanted } = this.#standing;
    const { signal } = this.#stop;
    const timeoutMs = remote.isPassive && this.#remotes.length === 1 ? Infinity : CONNECT_MS;
    let session: Session | undefined;
    const onStop = (): void => session?.connection.end('closed');
    try {
      const link = await remote.connect(timeoutMs, signal);
      session = this.#openSession(remote, link);
      signal.addEventListener('abort', onStop);
      await session.start();
      const { connection } = session;
      if (tls !== undefined && link.identity !== undefined)
        void endWhenRenewed(connection, tls, link.identity, () => this.#transactions === 0);
      return this.#noteTrouble(await connection.ended);
    } catch (error) {
      const reason = this.#noteTrouble(error instanceof Error ? error.message : String(error));
      // An error about what was wanted before says nothing about what is wanted by now.
      if (error instanceof OvsdbError && wanted === this.#standing.wanted) this.#attempts.emit(error);
      return reason;
    } finally {
      signal.removeEventListener('abort', onStop);
      session?.connection.end('given up');
      this.#session = undefined;
      this.#locks.detach();
      if (!signal.aborted) this.#setState('connecting');
    }
  }

  #openSession(remote: Remote, { socket }: Link): Session {
    const { database, leaderOnly = false, probeIntervalMs = 5000, log = () => {} } = this.#options;
    const session: Session = new Session({
      socket,
      database,
      leaderOnly,
      probeIntervalMs,
      limits: { ...DEFAULT_LIMITS, ...this.#options.limits },
      standing: this.#standing,
      locks: this.#locks,
      onLive: () => {
        this.#onLive(session);
        log('live', { remote: remote.text });
      },
      onPause: (reason) => {
        this.#noteTrouble(reason);
        this.#session = undefined;
        this.#setState('connecting');
      },
      onSchema: (schema) => {
        this.#schemas.emit(schema);
      },
      onChanges: (changes) => {
        this.#changes.emit(changes);
      },
    });
    return session;
  }

  #onLive(session: Session): void {
    this.#session = session;
    this.#liveSince = Math.min(this.#liveSince, performance.now());
    this.#locks.attach(session.connection);
    this.#setState('live');
    this.#attempts.emit();
  }

  #noteTrouble(reason: string): string {
    this.#trouble = reason;
    return reason;
  }

  #setState(state: DatabaseState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#states.emit(state);
  }
}

const CONNECT_MS = 10_000;
/** A connection that lived this long, and as long as it was waited for, starts the count of failures anew. */
const STABLE_MS = 1000;

function closed(): OvsdbError {
  return new OvsdbError('closed', 'the database is closed', 'open it again');
}
