import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

export type Direction = 'toServer' | 'toClient';

export interface ByteProxy {
  readonly endpoint: string;
  /** Bytes that went through in each direction since the last `cutAfter` or `count`. */
  readonly passed: Readonly<Record<Direction, number>>;
  /** Lets exactly that many more bytes through in a direction, then cuts every connection. */
  cutAfter(direction: Direction, bytes: number): void;
  /** Starts to count anew and cuts nothing. */
  count(): void;
  /** Whether `cutAfter` has cut. */
  readonly isCut: boolean;
  /** Cuts every connection now. */
  cut(): void;
  /** Stops reading what comes from that side's peer, so that the sender feels it, until `flow`. */
  hold(direction: Direction): void;
  flow(): void;
  /** Passes at most so many bytes at a time, each in a turn of its own. */
  pieceBytes: number;
  /** While set, clients talk to this instead of the server: what it returns is written back, `end` closes. */
  impostor: ((received: string) => Uint8Array | 'end' | undefined) | undefined;
  /** Writes bytes to every client, wherever the conversation is. */
  inject(bytes: Uint8Array): void;
  stop(): Promise<void>;
}

/** Stands between clients and a server's unix socket and cares for bytes only, not for messages. */
export async function startByteProxy(serverPath: string): Promise<ByteProxy> {
  const proxy = new Proxy(serverPath);
  await proxy.listen();
  return proxy;
}

class Proxy implements ByteProxy {
  readonly endpoint: string;
  readonly passed: Record<Direction, number> = { toServer: 0, toClient: 0 };
  pieceBytes = Infinity;
  impostor: ByteProxy['impostor'];
  readonly #dir = mkdtempSync(path.join(tmpdir(), 'byte-proxy-'));
  readonly #serverPath: string;
  readonly #listener: net.Server;
  readonly #clients = new Set<net.Socket>();
  readonly #sockets = new Set<net.Socket>();
  #cutAt: { readonly direction: Direction; readonly bytes: number } | undefined;
  #held: Direction | undefined;
  #isCut = false;

  constructor(serverPath: string) {
    this.#serverPath = serverPath;
    this.endpoint = `unix:${path.join(this.#dir, 'proxy.sock')}`;
    this.#listener = net.createServer((client) => this.#accept(client));
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#listener.listen(path.join(this.#dir, 'proxy.sock'), resolve));
  }

  cutAfter(direction: Direction, bytes: number): void {
    this.count();
    this.#cutAt = { direction, bytes };
    if (bytes === 0) this.#cutNow();
  }

  count(): void {
    this.passed.toServer = 0;
    this.passed.toClient = 0;
    this.#cutAt = undefined;
    this.#isCut = false;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  hold(direction: Direction): void {
    this.#held = direction;
  }

  flow(): void {
    this.#held = undefined;
    for (const socket of this.#sockets) socket.resume();
  }

  inject(bytes: Uint8Array): void {
    for (const client of this.#clients) client.write(bytes);
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#listener.close(resolve));
    rmSync(this.#dir, { recursive: true, force: true });
  }

  #cutNow(): void {
    this.#cutAt = undefined;
    this.#isCut = true;
    this.cut();
  }

  #accept(client: net.Socket): void {
    this.#keep(client);
    this.#clients.add(client);
    client.once('close', () => this.#clients.delete(client));
    if (this.impostor !== undefined) {
      client.on('data', (chunk: Buffer) => this.#impersonate(client, chunk));
      return;
    }
    const server = net.connect(this.#serverPath);
    this.#keep(server);
    client.once('close', () => server.destroy());
    // What was sent before the end still arrives: only then the other side is told.
    server.once('close', () => client.destroySoon());
    this.#relay(client, server, 'toServer');
    this.#relay(server, client, 'toClient');
  }

  #impersonate(client: net.Socket, chunk: Buffer): void {
    const answer = this.impostor?.(chunk.toString('utf8'));
    if (answer === 'end') client.destroySoon();
    else if (answer !== undefined) client.write(answer);
  }

  #keep(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /** One piece after the other: while one is on its way, nothing more is read. */
  #relay(from: net.Socket, to: net.Socket, direction: Direction): void {
    const read = async (chunk: Buffer): Promise<void> => {
      from.pause();
      await this.#forward(chunk, to, direction);
      if (this.#held !== direction) from.resume();
    };
    from.on('data', (chunk: Buffer) => void read(chunk));
  }

  async #forward(chunk: Buffer, to: net.Socket, direction: Direction): Promise<void> {
    const size = Math.min(chunk.length, this.pieceBytes);
    for (let at = 0; at < chunk.length && !to.destroyed; at += size) {
      await this.#pass(chunk.subarray(at, at + size), to, direction);
      if (size < chunk.length) await nextTurn();
    }
  }

  async #pass(piece: Buffer, to: net.Socket, direction: Direction): Promise<void> {
    const left = this.#cutAt?.direction === direction ? this.#cutAt.bytes - this.passed[direction] : Infinity;
    const part = piece.subarray(0, left);
    this.passed[direction] += part.length;
    // The other side has the bytes when this resolves; what it answers to them may be lost.
    await new Promise((resolve) => to.write(part, resolve));
    if (part.length >= left) this.#cutNow();
  }
}
