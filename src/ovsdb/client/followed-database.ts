import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../protocol/operation.ts';
import { type TransactOutcome, readOutcome } from '../protocol/outcome.ts';
import type { DatabaseSchema } from '../protocol/schema.ts';
import type { Row, Uuid } from '../protocol/value.ts';
import type { Referrer } from '../replica/references.ts';
import type { Replica } from '../replica/replica.ts';
import type { RowChange } from '../replica/row-change.ts';
import { untilCalled } from './abort.ts';
import { backoffMs } from './backoff.ts';
import type { Database, DatabaseState } from './database.ts';
import type { Endpoint } from './endpoint.ts';
import { OvsdbError } from './error.ts';
import { Listeners } from './listeners.ts';
import { type Lock, Locks } from './locks.ts';
import type { DatabaseOptions } from './options.ts';
import { Session, newStanding } from './session.ts';
import { connectSocket } from './socket.ts';

/** A database over all its connections, one after the other. */
export class FollowedDatabase implements Database {
  readonly #options: DatabaseOptions;
  readonly #endpoints: readonly Endpoint[];
  readonly #standing = newStanding();
  readonly #locks = new Locks();
  readonly #changes = new Listeners<[readonly RowChange[]]>();
  readonly #states = new Listeners<[DatabaseState]>();
  readonly #opened = new Listeners<[Error?]>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #session: Session | undefined;
  #state: DatabaseState = 'connecting';
  #liveSince = 0;
  #wasLive = false;

  constructor(options: DatabaseOptions, endpoints: readonly Endpoint[]) {
    this.#options = options;
    this.#endpoints = endpoints;
    this.#running = this.#run();
  }

  get schema(): DatabaseSchema {
    return this.#replica.schema;
  }

  get state(): DatabaseState {
    return this.#state;
  }

  rows(table: string): ReadonlyMap<Uuid, Row> {
    return this.#replica.rows(table);
  }

  row(table: string, uuid: Uuid): Row | undefined {
    return this.#replica.rows(table).get(uuid);
  }

  referrers(uuid: Uuid): readonly Referrer[] {
    return this.#replica.referrers(uuid);
  }

  onChange(listener: (changes: readonly RowChange[]) => void): () => void {
    return this.#changes.add(listener);
  }

  onState(listener: (state: DatabaseState) => void): () => void {
    return this.#states.add(listener);
  }

  /** Calls back when the first replica is complete, or with the error that makes that impossible. */
  onOpened(listener: (error?: Error) => void): () => void {
    return this.#opened.add(listener);
  }

  async transact(
    operations: readonly Operation[],
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<TransactOutcome> {
    const connection = this.#session?.connection;
    if (connection === undefined) return { kind: 'unsent', reason: `the database is ${this.#state}` };
    await connection.writable();
    if (connection.isOver) return { kind: 'unsent', reason: 'the connection was lost' };
    if (signal?.aborted === true) return { kind: 'unsent', reason: 'aborted' };
    return new Promise((resolve) => {
      const settle = (outcome: TransactOutcome): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve(outcome);
      };
      const id = connection.request('transact', [this.#options.database, ...operations], {
        onReply: ({ result, error }) => {
          settle(readOutcome(operations.length, result, error));
        },
        onLost: (reason) => {
          settle({ kind: 'unknown', reason });
        },
      });
      const onAbort = (): void => {
        // A parked `wait` must not fire later; a transaction that is under way may still commit.
        connection.notify('cancel', [id]);
        settle({ kind: 'unknown', reason: 'aborted before the reply came' });
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  async lock(name: string): Promise<Lock> {
    if (this.#state === 'closed') throw closed();
    return this.#locks.take(name);
  }

  async resynced(signal?: AbortSignal): Promise<void> {
    for (;;) {
      if (this.#state === 'closed') throw closed();
      const connection = this.#session?.connection;
      let isInStep = false;
      await untilCalled((done) => {
        if (connection === undefined) return this.#states.add(() => done());
        connection.request('echo', ['resynced'], {
          onReply: () => {
            isInStep = true;
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

  async #run(): Promise<void> {
    const { random = Math.random, log = () => {} } = this.#options;
    const { signal } = this.#stop;
    let failures = 0;
    let waitMs = 0;
    let next = Math.floor(random() * this.#endpoints.length);
    while (!signal.aborted) {
      const endpoint = this.#endpoints[next] as Endpoint;
      const remote = this.#options.remotes[next] as string;
      next = (next + 1) % this.#endpoints.length;
      this.#liveSince = Infinity;
      const reason = await this.#follow(endpoint, remote);
      if (signal.aborted) break;
      const isStable = performance.now() - this.#liveSince >= Math.max(waitMs, STABLE_MS);
      failures = isStable ? 1 : failures + 1;
      waitMs = Math.round(backoffMs(failures, this.#endpoints.length, random));
      log('disconnected', { remote, reason, waitMs });
      await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
    this.#locks.close();
    this.#setState('closed');
  }

  /** Follows one server for as long as it goes; returns why it ended. */
  async #follow(endpoint: Endpoint, remote: string): Promise<string> {
    const { database, tables, leaderOnly = false, probeIntervalMs = 5000, log = () => {} } = this.#options;
    const { signal } = this.#stop;
    let session: Session | undefined;
    const onStop = (): void => session?.connection.end('closed');
    try {
      const socket = await connectSocket(endpoint, this.#options.tls, CONNECT_MS, signal);
      const opened = new Session({
        socket,
        database,
        tables,
        leaderOnly,
        probeIntervalMs,
        standing: this.#standing,
        locks: this.#locks,
        onLive: () => {
          this.#onLive(opened);
          log('live', { remote });
        },
        onChanges: (changes) => {
          this.#changes.emit(changes);
        },
      });
      session = opened;
      signal.addEventListener('abort', onStop);
      await session.start();
      return await session.connection.ended;
    } catch (error) {
      if (error instanceof OvsdbError && !this.#wasLive) this.#opened.emit(error);
      return error instanceof Error ? error.message : String(error);
    } finally {
      signal.removeEventListener('abort', onStop);
      session?.connection.end('given up');
      this.#session = undefined;
      this.#locks.detach();
      if (!signal.aborted) this.#setState('connecting');
    }
  }

  #onLive(session: Session): void {
    this.#session = session;
    this.#liveSince = performance.now();
    this.#wasLive = true;
    this.#locks.attach(session.connection);
    this.#setState('live');
    this.#opened.emit();
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
