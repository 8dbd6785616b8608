import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Frame, Framer, type Limits, frameBytes } from '../protocol/framing.ts';
import { stringifyJson } from '../protocol/json.ts';
import { type Message, type UpdateMessage, readMessage, readUpdateMessage } from '../protocol/message.ts';
import type { UpdateReader } from '../protocol/update-reader.ts';
import { Liveness } from './liveness.ts';

export interface Reply {
  readonly result: unknown;
  readonly error: unknown;
}

export interface RequestOptions {
  /** Called in the order of arrival, before any message that came after the reply is looked at. */
  readonly onReply: (reply: Reply) => void;
  /** Called instead when the connection ends first. */
  readonly onLost?: (reason: string) => void;
  /**
   * Reads the rows of a monitor's reply until the reader pauses; then called again. The table updates
   * are then empty in `reply` and in what `onReply` gets. A reply that is written in an unusual way only goes to `onReply`.
   */
  readonly onUpdates?: (updates: UpdateReader, reply: Reply) => void;
  /** Extra silence that the server is granted while this request is open. */
  readonly patienceMs?: number;
}

export interface ConnectionOptions {
  readonly socket: Socket;
  readonly probeIntervalMs: number;
  readonly limits?: Limits;
  /** Reads the rows of an update until the reader pauses; then called again. */
  readonly onUpdates?: (updates: UpdateReader, params: readonly unknown[]) => void;
  /** Rows that were given to `onUpdates` before are not in `params` any more. */
  readonly onNotification: (method: string, params: readonly unknown[]) => void;
}

/** One JSON-RPC connection: requests out, replies and notifications in, strictly in the order of arrival. */
export class Connection {
  /** Resolves with the reason when the connection is over. */
  readonly ended: Promise<string>;
  readonly #options: ConnectionOptions;
  readonly #framer: Framer;
  readonly #liveness: Liveness;
  readonly #requests = new Map<number, RequestOptions & { readonly graceMs: number }>();
  readonly #writers: (() => void)[] = [];
  #backlog: Frame[] = [];
  #backlogBytes = 0;
  #isReading = false;
  #isOver = false;
  #graceMs = 0;
  #nextId = 0;
  #resolveEnded: (reason: string) => void = () => {};

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#framer = new Framer(options.limits);
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    this.#liveness = new Liveness({
      probeIntervalMs: options.probeIntervalMs,
      sendEcho: () => this.request('echo', [], { onReply: () => {} }),
      patienceMs: () => (this.#isReading ? Infinity : 2 * options.probeIntervalMs + this.#graceMs),
      onSilent: () => {
        this.end('the server is silent');
      },
    });
    const { socket } = options;
    socket.on('data', (chunk: Buffer) => {
      this.#receive(chunk);
    });
    socket.on('drain', () => {
      this.#write();
    });
    socket.on('error', (error) => {
      this.end(error.message);
    });
    socket.on('close', () => {
      this.end('the server closed the connection');
    });
  }

  /**
   * Sends a request and returns its id, which `cancel` takes.
   *
   * @throws Error when the parameters are no JSON, or hold a text that OVSDB cannot hold: nothing is sent then.
   */
  request(method: string, params: readonly unknown[], options: RequestOptions): number {
    const id = this.#nextId++;
    if (this.#isOver) {
      options.onLost?.('the connection is closed');
      return id;
    }
    const text = stringifyJson({ id, method, params });
    // The server would drop the connection, and with it the outcome of everything that is under way.
    if (text.includes('\\u') && UNHEARD_OF.test(text))
      throw new Error('a text holds a NUL character or half of a surrogate pair');
    const graceMs = (options.patienceMs ?? 0) + text.length / BYTES_PER_MS;
    this.#graceMs += graceMs;
    this.#requests.set(id, { ...options, graceMs });
    this.#options.socket.write(text);
    return id;
  }

  /** Sends a request and waits for its reply. Rejects with an Error when the connection ends first. */
  call(method: string, params: readonly unknown[]): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.request(method, params, {
        onReply: resolve,
        onLost: (reason) => {
          reject(new Error(reason));
        },
      });
    });
  }

  notify(method: string, params: readonly unknown[]): void {
    if (!this.#isOver) this.#options.socket.write(stringifyJson({ id: null, method, params }));
  }

  /**
   * Calls `write` when the socket takes more: at once, or later and then one after the other, so that requests to a slow
   * server wait with those who make them instead of piling up here. Called as well when the connection is over.
   */
  whenWritable(write: () => void): void {
    this.#writers.push(write);
    this.#write();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Closes the connection: open requests are lost, and nothing else is called back after this. */
  end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#liveness.stop();
    this.#options.socket.destroy();
    this.#backlog = [];
    const lost = [...this.#requests.values()];
    this.#requests.clear();
    for (const request of lost) request.onLost?.(reason);
    this.#resolveEnded(reason);
    this.#write();
  }

  #write(): void {
    while (this.#isOver || !this.#options.socket.writableNeedDrain) {
      const write = this.#writers.shift();
      if (write === undefined) return;
      write();
    }
  }

  #receive(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#liveness.sawBytes();
    try {
      for (const frame of this.#framer.push(chunk)) this.#take(frame);
    } catch (error) {
      this.#fail(error);
    }
  }

  #take(frame: Frame): void {
    if (this.#isReading) this.#queue(frame);
    else if (frame.length < LARGE_BYTES) this.#readAtOnce(frameBytes(frame));
    else {
      this.#isReading = true;
      this.#readInTurns(frame).catch((error: unknown) => {
        this.#fail(error);
      });
    }
  }

  #queue(frame: Frame): void {
    if (frame.length <= ECHO_BYTES) {
      const message = readMessage(frameBytes(frame));
      if (message.kind === 'request') {
        this.#answer(message);
        return;
      }
    }
    this.#wait(frame);
    if (this.#backlogBytes > BACKLOG_BYTES) this.#options.socket.pause();
  }

  #wait(frame: Frame): void {
    this.#backlog.push(frame);
    this.#backlogBytes += frame.length;
  }

  #readAtOnce(bytes: Buffer): void {
    if (this.#isOver) return;
    const update = readUpdateMessage(bytes);
    const read = update && this.#rowsOf(update);
    if (update === undefined || read === undefined) {
      this.#deliver(readMessage(bytes));
      return;
    }
    read();
    this.#deliver(update.message);
  }

  /** Reads a large message, and what arrives meanwhile, without keeping the event loop busy. */
  async #readInTurns(frame: Frame): Promise<void> {
    let turnStart = performance.now();
    this.#wait(frame);
    while (this.#backlog.length > 0) {
      const frames = this.#backlog;
      this.#backlog = [];
      for (const next of frames) {
        this.#backlogBytes -= next.length;
        for (const _ of this.#readStepwise(next)) {
          if (performance.now() - turnStart < TURN_MS) continue;
          await nextTurn();
          turnStart = performance.now();
        }
      }
    }
    this.#isReading = false;
    if (!this.#isOver) this.#options.socket.resume();
  }

  /** Reads a message a little further at each step. */
  *#readStepwise(frame: Frame): Generator<void, void> {
    const bytes = yield* gather(frame);
    const update = bytes.length < LARGE_BYTES ? undefined : readUpdateMessage(bytes);
    const read = update && this.#rowsOf(update);
    if (update === undefined || read === undefined) {
      this.#readAtOnce(bytes);
      yield;
      return;
    }
    do {
      if (this.#isOver) return;
      update.updates.pauseAfter(STEP_BYTES);
      read();
      yield;
    } while (update.updates.isPaused);
    this.#deliver(update.message);
  }

  /** What reads the rows of a message; undefined when nobody wants them as rows. */
  #rowsOf({ message, updates }: UpdateMessage): (() => void) | undefined {
    if (message.kind === 'request') return undefined;
    if (message.kind === 'notification') {
      const { onUpdates } = this.#options;
      return onUpdates && (() => onUpdates(updates, message.params));
    }
    const { onUpdates } = this.#requests.get(message.id as number) ?? {};
    return onUpdates && (() => onUpdates(updates, message));
  }

  #deliver(message: Message): void {
    if (this.#isOver) return;
    switch (message.kind) {
      case 'reply': {
        const request = this.#requests.get(message.id as number);
        if (request === undefined) return;
        this.#requests.delete(message.id as number);
        this.#graceMs -= request.graceMs;
        try {
          request.onReply(message);
        } catch (error) {
          request.onLost?.(String(error));
          throw error;
        }
        return;
      }
      case 'notification':
        this.#options.onNotification(message.method, message.params);
        return;
      case 'request':
        this.#answer(message);
    }
  }

  #answer(request: Message & { readonly kind: 'request' }): void {
    const { id, method, params } = request;
    const answer =
      method === 'echo'
        ? { id, result: params, error: null }
        : { id, result: null, error: { error: 'unknown method', details: method } };
    this.#options.socket.write(stringifyJson(answer));
  }

  #fail(error: unknown): void {
    this.end(error instanceof Error ? error.message : String(error));
  }
}

/** The frame's bytes in one piece, copied a little at each step. */
function* gather(frame: Frame): Generator<void, Buffer> {
  const bytes = Buffer.allocUnsafe(frame.length);
  let at = 0;
  for (const part of frame.parts) {
    bytes.set(part, at);
    at += part.length;
    yield;
  }
  return bytes;
}

/** How JSON writes what no OVSDB string holds (RFC 7047 3.1): an escape that is not itself escaped. */
const UNHEARD_OF = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;
/** From here on a message is parsed in pieces. */
const LARGE_BYTES = 1 << 20;
/** How far a large message is read before the clock is looked at. */
const STEP_BYTES = 64 * 1024;
/** How long the event loop may be kept busy by one large message at a time. */
const TURN_MS = 10;
/** An echo is smaller than this. */
const ECHO_BYTES = 256;
/** What may wait in memory behind a large message before the server is asked to wait. */
const BACKLOG_BYTES = 64 << 20;
/** A server that takes in less than 512 KiB of requests a second, while it answers nothing at all, is taken for dead. */
const BYTES_PER_MS = 512;
