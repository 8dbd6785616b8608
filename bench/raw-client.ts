import { once } from 'node:events';
import net from 'node:net';
import type { Operation } from '../src/ovsdb/index.ts';

/**
 * The least that a client can do (RFC 7047 4.1): JSON.stringify, a socket, JSON.parse. No replica, no checks before
 * writing, no exact integers, no probes, no reconnecting.
 */
export class RawClient {
  readonly #socket: net.Socket;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #next = 1;
  #frame = new Frame();

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      for (const text of this.#frame.push(chunk)) this.#take(JSON.parse(text) as Message);
    });
  }

  static async open(socketPath: string): Promise<RawClient> {
    const socket = net.connect(socketPath);
    await once(socket, 'connect');
    return new RawClient(socket);
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

  close(): void {
    this.#socket.destroy();
  }

  #take(message: Message): void {
    if (message.method === 'echo') {
      this.#socket.write(JSON.stringify({ id: message.id, result: message.params, error: null }));
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
  readonly params?: unknown;
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

  push(chunk: Buffer): readonly string[] {
    const messages: string[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (this.#isText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isText = false;
      } else if (byte === QUOTE) this.#isText = true;
      else if (byte === OPEN) this.#depth += 1;
      else if (byte === CLOSE) {
        this.#depth -= 1;
        if (this.#depth === 0) {
          messages.push(Buffer.concat([...this.#parts, chunk.subarray(start, at + 1)]).toString());
          this.#parts = [];
          start = at + 1;
        }
      }
    }
    if (start < chunk.length) this.#parts.push(chunk.subarray(start));
    return messages;
  }
}
