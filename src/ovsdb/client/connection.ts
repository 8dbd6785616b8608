import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Frame, Framer } from '../protocol/framing.ts';
import { stringifyJson } from '../protocol/json.ts';
import { type Message, type TableUpdates, readInPieces, readMessage } from '../protocol/message.ts';
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
  /** Takes the table updates of a large reply in parts; they are empty in `reply` and in what `onReply` gets. */
  readonly onPart?: (part: TableUpdates, reply: Reply) => void;
  /** Extra silence that the server is granted while this request is open. */
  readonly patienceMs?: number;
}

export interface ConnectionOptions {
  readonly socket: Socket;
  readonly probeIntervalMs: number;
  /** `parts` holds the table updates of a large notification, which are then empty in `params`. */
  readonly onNotification: (
    method: string,
    params: readonly unknown[],
    parts: readonly TableUpdates[] | undefined,
  ) => void;
}

/** One JSON-RPC connection: requests out, replies and notifications in, strictly in the order of arrival. */
export class Connection {
  /** Resolves with the reason when the connection is over. */
  readonly ended: Promise<string>;
  readonly #options: ConnectionOptions;
  readonly #framer = new Framer();
  readonly #liveness: Liveness;
  readonly #requests = new Map<number, RequestOptions & { readonly graceMs: number }>();
  #backlog: Frame[] = [];
  #backlogBytes = 0;
  #isReading = false;
  #isOver = false;
  #graceMs = 0;
  #nextId = 0;
  #resolveEnded: (reason: string) => void = () => {};

  constructor(options: ConnectionOptions) {
    this.#options = options;
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
    socket.on('error', (error) => {
      this.end(error.message);
    });
    socket.on('close', () => {
      this.end('the server closed the connection');
    });
  }

  /** Sends a request and returns its id, which `cancel` takes. */
  request(method: string, params: readonly unknown[], options: RequestOptions): number {
    const id = this.#nextId++;
    if (this.#isOver) {
      options.onLost?.('the connection is closed');
      return id;
    }
    const text = stringifyJson({ id, method, params });
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

  /** Resolves when the socket takes more, or when the connection is over. */
  async writable(): Promise<void> {
    const { socket } = this.#options;
    while (!this.#isOver && socket.writableNeedDrain) {
      await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), this.ended]);
    }
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
  }

  #receive(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#liveness.sawBytes();
    try {
      for (const frame of this.#framer.push(chunk)) {
        if (this.#isReading) this.#queue(frame);
        else this.#read(frame);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #queue(frame: Frame): void {
    if (frame.length <= ECHO_BYTES) {
      const message = readMessage(frame);
      if (message.kind === 'request') {
        this.#answer(message);
        return;
      }
    }
    this.#backlog.push(frame);
    this.#backlogBytes += frame.length;
    if (this.#backlogBytes > BACKLOG_BYTES) this.#options.socket.pause();
  }

  #read(frame: Frame): void {
    if (this.#isOver) return;
    if (frame.length < LARGE_BYTES) {
      this.#deliver(readMessage(frame));
      return;
    }
    this.#isReading = true;
    this.#readLarge(frame).catch((error: unknown) => {
      this.#fail(error);
    });
  }

  /** Parses a large message without keeping the event loop busy; what arrives meanwhile waits its turn. */
  async #readLarge(frame: Frame): Promise<void> {
    const large = readInPieces(frame);
    if (large === undefined) {
      this.#deliver(readMessage(frame));
    } else {
      const { message } = large;
      const parts: TableUpdates[] = [];
      const request = message.kind === 'reply' ? this.#requests.get(message.id as number) : undefined;
      let turnStart = performance.now();
      for (const part of large.pieces) {
        if (this.#isOver) return;
        if (request?.onPart === undefined) parts.push(part);
        else request.onPart(part, message as Reply);
        if (performance.now() - turnStart < TURN_MS) continue;
        await nextTurn();
        turnStart = performance.now();
      }
      this.#deliver(message, parts);
    }
    this.#isReading = false;
    this.#readBacklog();
  }

  #readBacklog(): void {
    const frames = this.#backlog;
    this.#backlog = [];
    for (const [at, frame] of frames.entries()) {
      if (this.#isOver) return;
      if (this.#isReading) {
        // Another large one: the rest keeps waiting.
        this.#backlog = frames.slice(at);
        return;
      }
      this.#backlogBytes -= frame.length;
      this.#read(frame);
    }
    this.#options.socket.resume();
  }

  #deliver(message: Message, parts?: readonly TableUpdates[]): void {
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
        this.#options.onNotification(message.method, message.params, parts);
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

/** From here on a message is parsed in pieces. */
const LARGE_BYTES = 1 << 20;
/** How long the event loop may be kept busy by one large message at a time. */
const TURN_MS = 10;
/** An echo is smaller than this. */
const ECHO_BYTES = 256;
/** What may wait in memory behind a large message before the server is asked to wait. */
const BACKLOG_BYTES = 64 << 20;
/** A server that takes in less than 512 KiB of requests a second, while it answers nothing at all, is taken for dead. */
const BYTES_PER_MS = 512;
