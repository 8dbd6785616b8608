import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Framer, frameBytes } from '../../src/ovsdb/protocol/framing.ts';

/** A JSON-RPC message on its way through the proxy. */
export type ProxiedMessage = Readonly<Record<string, unknown>>;

export interface MessageProxy {
  readonly endpoint: string;
  readonly socketPath: string;
  /** Sees each message from the client; what it returns is passed on, undefined is swallowed. */
  toServer: (message: ProxiedMessage, reply: (message: ProxiedMessage) => void) => ProxiedMessage | undefined;
  /** Sees each message from the server. */
  toClient: (message: ProxiedMessage) => ProxiedMessage | undefined;
  /** Messages seen from the client, oldest first. */
  readonly sent: ProxiedMessage[];
  /** Bytes that the server sent. */
  receivedBytes: number;
  /** Cuts every connection. */
  cut(): void;
  /** Keeps back what the server sends, as on a link that died, until thaw() delivers it. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** Stands between a client and a server's unix socket, and lets a test lose, change or answer messages. */
export async function startMessageProxy(
  serverPath: string,
  socketPath: string = path.join(mkdtempSync(path.join(tmpdir(), 'proxy-')), 'proxy.sock'),
): Promise<MessageProxy> {
  const dir = path.dirname(socketPath);
  mkdirSync(dir, { recursive: true });
  const sockets = new Set<net.Socket>();
  let kept: (() => boolean)[] | undefined;
  const listener = net.createServer((client) => {
    const server = net.connect(serverPath);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    relay(client, (message, bytes) => {
      proxy.sent.push(message);
      const passed = proxy.toServer(message, (answer) => client.write(JSON.stringify(answer)));
      if (passed !== undefined) server.write(passed === message ? bytes : JSON.stringify(passed));
    });
    server.on('data', (chunk: Buffer) => {
      proxy.receivedBytes += chunk.length;
    });
    relay(server, (message, bytes) => {
      const passed = proxy.toClient(message);
      if (passed === undefined) return;
      const deliver = (): boolean => client.write(passed === message ? bytes : JSON.stringify(passed));
      if (kept === undefined) deliver();
      else kept.push(deliver);
    });
  });
  const proxy: MessageProxy = {
    endpoint: `unix:${socketPath}`,
    socketPath,
    toServer: (message) => message,
    toClient: (message) => message,
    sent: [],
    receivedBytes: 0,
    freeze: () => {
      kept ??= [];
    },
    thaw: () => {
      const late = kept ?? [];
      kept = undefined;
      for (const deliver of late) deliver();
    },
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    stop: async () => {
      proxy.cut();
      await new Promise((resolve) => listener.close(resolve));
      rmSync(dir, { recursive: true, force: true });
    },
  };
  await new Promise<void>((resolve) => listener.listen(socketPath, resolve));
  return proxy;
}

function relay(from: net.Socket, onMessage: (message: ProxiedMessage, bytes: Buffer) => void): void {
  const framer = new Framer();
  from.on('data', (chunk: Buffer) => {
    for (const frame of framer.push(chunk)) {
      const bytes = frameBytes(frame);
      onMessage(JSON.parse(bytes.toString('utf8')) as ProxiedMessage, bytes);
    }
  });
}
