import { errorText } from '../protocol/outcome.ts';
import { untilCalled } from './abort.ts';
import type { Connection, Reply } from './connection.ts';
import { OvsdbError } from './error.ts';
import { Listeners } from './listeners.ts';

/** A named lock of the server (RFC 7047 4.1.8). It is asked for again after each reconnect. */
export interface Lock {
  readonly name: string;
  /** Whether this client has it now, as far as it knows: fence transactions with an `assert` operation. */
  readonly owned: boolean;
  /** @throws OvsdbError `aborted`, or `closed` when the lock was released or the database closed. */
  whenOwned(signal?: AbortSignal): Promise<void>;
  onChange(listener: (owned: boolean) => void): () => void;
  /** Gives the lock back, or its place in the queue. */
  release(): Promise<void>;
}

/** The locks of one database over all its connections. */
export class Locks {
  readonly #held = new Map<string, HeldLock>();
  #connection: Connection | undefined;

  /** Asks for a lock; resolves when the server has granted it or put it in the queue. */
  async take(name: string, method: LockMethod): Promise<Lock> {
    if (!LOCK_NAME.test(name)) {
      throw new OvsdbError(
        'bad-lock',
        `"${name}" is not a lock name`,
        'use letters, digits and _, no digit first',
      );
    }
    if (this.#held.has(name)) {
      throw new OvsdbError(
        'lock-in-use',
        `lock ${name} was taken already`,
        'share the Lock, or release it first',
      );
    }
    const lock = new HeldLock(name, () => this.#release(name));
    this.#held.set(name, lock);
    if (this.#connection !== undefined) requestLock(this.#connection, lock, method);
    try {
      await untilCalled((done) => lock.onAnswer(done), undefined);
      return lock;
    } catch (error) {
      this.#held.delete(name);
      throw error;
    }
  }

  /** Asks for every lock again, in the queue of the new connection; what was stolen once is not stolen again. */
  attach(connection: Connection): void {
    if (this.#connection === connection) return;
    this.#connection = connection;
    for (const lock of this.#held.values()) requestLock(connection, lock, 'lock');
  }

  detach(): void {
    this.#connection = undefined;
    for (const lock of this.#held.values()) lock.set(false);
  }

  /** `locked` and `stolen` (RFC 7047 4.1.9, 4.1.10). */
  onNotification(method: 'locked' | 'stolen', name: unknown): void {
    this.#held.get(String(name))?.answered(method === 'locked');
  }

  close(): void {
    this.detach();
    for (const lock of this.#held.values()) lock.end();
    this.#held.clear();
  }

  async #release(name: string): Promise<void> {
    this.#held.get(name)?.end();
    this.#held.delete(name);
    // Without a connection there is nothing to give back: the server drops a client's locks when it goes.
    await this.#connection?.call('unlock', [name]).catch(() => {});
  }
}

class HeldLock implements Lock {
  readonly name: string;
  readonly #giveBack: () => Promise<void>;
  readonly #changes = new Listeners<[boolean]>();
  readonly #answers = new Listeners<[Error?]>();
  #owned = false;
  #isOver = false;

  constructor(name: string, giveBack: () => Promise<void>) {
    this.name = name;
    this.#giveBack = giveBack;
  }

  get owned(): boolean {
    return this.#owned;
  }

  async whenOwned(signal?: AbortSignal): Promise<void> {
    while (!this.#owned) {
      if (this.#isOver) throw over(this.name);
      await untilCalled((done) => this.#answers.add(done), signal);
    }
  }

  onChange(listener: (owned: boolean) => void): () => void {
    return this.#changes.add(listener);
  }

  async release(): Promise<void> {
    if (!this.#isOver) await this.#giveBack();
  }

  /** Calls back at the server's next word about this lock. */
  onAnswer(listener: (error?: Error) => void): () => void {
    return this.#answers.add(listener);
  }

  set(owned: boolean): void {
    const changed = this.#owned !== owned;
    this.#owned = owned;
    if (changed) this.#changes.emit(owned);
  }

  answered(owned: boolean): void {
    this.set(owned);
    this.#answers.emit();
  }

  refused(reason: string): void {
    this.set(false);
    this.#answers.emit(
      new OvsdbError('bad-lock', `lock ${this.name}: ${reason}`, 'ask the operator of the server'),
    );
  }

  end(): void {
    this.#isOver = true;
    this.set(false);
    this.#answers.emit(over(this.name));
  }
}

/** RFC 7047 4.1.8: wait for the lock in the queue, or take it from whoever has it. */
export type LockMethod = 'lock' | 'steal';

function requestLock(connection: Connection, lock: HeldLock, method: LockMethod): void {
  connection.request(method, [lock.name], {
    onReply: ({ result, error }: Reply) => {
      if (error === null) lock.answered((result as { readonly locked?: unknown }).locked === true);
      else lock.refused(errorText(error));
    },
  });
}

/** RFC 7047 3.1 `<id>`. */
const LOCK_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function over(name: string): OvsdbError {
  return new OvsdbError('closed', `lock ${name} was released`, 'take the lock again');
}
