import { isAscii } from 'node:buffer';
import { once } from 'node:events';
import net from 'node:net';
import type { Operation } from '../src/ovsdb/index.ts';

/** Takes a notification of the server (RFC 7047 4.1.6). */
export type OnNotification = (method: string, params: readonly unknown[]) => void;

/**
 * The least that a client can do (RFC 7047 4.1): JSON.stringify, a socket, JSON.parse. No replica, no checks before
 * writing, no exact integers, no probes, no reconnecting.
 */
export class RawClient {
  readonly #socket: net.Socket;
  readonly #onNotification: OnNotification;
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly #frame = new Frame();
  #next = 1;
  #onUnread: ((bytes: number) => void) | undefined;

  private constructor(socket: net.Socket, onNotification: OnNotification) {
    this.#socket = socket;
    this.#onNotification = onNotification;
    socket.on('data', (chunk: Buffer) => {
      for (const message of this.#frame.push(chunk)) this.#take(message);
    });
  }

  static async open(socketPath: string, onNotification: OnNotification = () => {}): Promise<RawClient> {
    const socket = net.connect(socketPath);
    await once(socket, 'connect');
    return new RawClient(socket, onNotification);
  }

  /** Runs a transaction; throws when any operation fails. */
  async transact(operations: readonly Operation[]): Promise<void> {
    const results = (await this.call('transact', ['OVN_Northbound', ...operations])) as readonly ({
      readonly error?: string;
    } | null)[];
    const failed = results.find((result) => result === null || result.error !== undefined);
    if (failed !== undefined) throw new Error(`refused: ${JSON.stringify(failed)}`);
  }

  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const id = this.#next++;
    const answer = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.#socket.write(JSON.stringify({ id, method, params }));
    const { error, result } = await answer;
    if (error !== null) throw new Error(JSON.stringify(error));
    return result;
  }

  /** Makes a request and drops the reply unread; resolves to its length. Nothing else may be under way. */
  async callUnread(method: string, params: readonly unknown[]): Promise<number> {
    const bytes = new Promise<number>((resolve) => {
      this.#onUnread = resolve;
    });
    this.#socket.write(JSON.stringify({ id: this.#next++, method, params }));
    return bytes;
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    if (this.#onUnread !== undefined) {
      this.#onUnread(bytes.length);
      this.#onUnread = undefined;
      return;
    }
    // Copying bytes is far cheaper than decoding them.
    const text = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
    const message = JSON.parse(text) as Message;
    if (message.method === 'echo') {
      this.#socket.write(JSON.stringify({ id: message.id, result: message.params, error: null }));
      return;
    }
    if (message.method !== undefined) {
      this.#onNotification(message.method, message.params ?? []);
      return;
    }
    const answer = this.#waiting.get(Number(message.id));
    this.#waiting.delete(Number(message.id));
    answer?.(message);
  }
}

interface Message {
  readonly id: unknown;
  readonly method?: string;
  readonly params?: readonly unknown[];
  readonly result?: unknown;
  readonly error?: unknown;
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/** Cuts a stream into JSON objects by the depth of braces; every byte is looked at once. */
class Frame {
  #parts: Buffer[] = [];
  #depth = 0;
  #isText = false;
  #isEscaped = false;

  push(chunk: Buffer): readonly Buffer[] {
    const messages: Buffer[] = [];
    let start = 0;
    // Locals: a private field costs a load and a store a byte.
    let [depth, isText, isEscaped] = [this.#depth, this.#isText, this.#isEscaped];
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isText = false;
      } else if (byte === QUOTE) isText = true;
      else if (byte === OPEN) depth += 1;
      else if (byte === CLOSE) {
        depth -= 1;
        if (depth === 0) {
          const end = chunk.subarray(start, at + 1);
          messages.push(this.#parts.length === 0 ? end : Buffer.concat([...this.#parts, end]));
          this.#parts = [];
          start = at + 1;
        }
      }
    }
    if (start < chunk.length) this.#parts.push(chunk.subarray(start));
    [this.#depth, this.#isText, this.#isEscaped] = [depth, isText, isEscaped];
    return messages;
  }
}
