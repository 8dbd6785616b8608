import { rm } from 'node:fs/promises';
import net from 'node:net';
import tls from 'node:tls';
import type { Endpoint } from './endpoint.ts';
import { OvsdbError } from './error.ts';
import { type Link, explainErrors, tune } from './socket.ts';
import type { TlsIdentity } from './tls.ts';

/** Accepts servers that connect to their client (`ovsdb-server --remote=tcp:...`), one at a time. */
export interface Listener {
  readonly port: number | undefined;
  next(timeoutMs: number, signal: AbortSignal): Promise<Link>;
  close(): Promise<void>;
}

/**
 * Listens at a passive endpoint. A socket file that a dead process left behind is replaced.
 *
 * @throws OvsdbError `bad-remote` when the address cannot be listened at.
 */
export async function listen(
  text: string,
  endpoint: Endpoint,
  identityNow: () => Promise<TlsIdentity | undefined>,
): Promise<Listener> {
  const accepting = new Accepting(identityNow);
  const server = net.createServer((socket) => {
    accepting.take(socket);
  });
  try {
    await bind(server, endpoint);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OvsdbError('bad-remote', `"${text}": ${reason}`, 'choose an address that is free here', error);
  }
  const address = server.address();
  return {
    port: typeof address === 'object' ? address?.port : undefined,
    next: (timeoutMs, signal) => accepting.next(timeoutMs, signal),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

interface Waiting {
  readonly take: (link: Link) => void;
  readonly handshakes: Set<net.Socket>;
}

/** Hands the first good connection to whoever waits; connections that nobody waits for are closed. */
class Accepting {
  readonly #identityNow: () => Promise<TlsIdentity | undefined>;
  #waiting: Waiting | undefined;

  constructor(identityNow: () => Promise<TlsIdentity | undefined>) {
    this.#identityNow = identityNow;
  }

  take(socket: net.Socket): void {
    const waiting = this.#waiting;
    socket.on('error', () => {});
    if (waiting === undefined) {
      socket.destroy();
      return;
    }
    waiting.handshakes.add(tune(socket));
    socket.once('close', () => waiting.handshakes.delete(socket));
    void this.#offer(socket, waiting);
  }

  async #offer(socket: net.Socket, waiting: Waiting): Promise<void> {
    try {
      const link = await this.#secured(socket);
      waiting.handshakes.delete(socket);
      // Not if another one was faster, or nobody waits any more.
      if (this.#waiting === waiting) waiting.take(link);
      else link.socket.destroy();
    } catch {
      // A stranger without a certificate, or files that cannot be used now: the next one may be the server.
      socket.destroy();
    }
  }

  next(timeoutMs: number, signal: AbortSignal): Promise<Link> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#waiting = undefined;
        for (const socket of waiting.handshakes) socket.destroy();
      };
      const fail = (reason: string): void => {
        end();
        reject(new Error(reason));
      };
      const onAbort = (): void => {
        fail('aborted');
      };
      const waiting: Waiting = {
        handshakes: new Set(),
        take: (link) => {
          end();
          resolve(link);
        },
      };
      const timer = Number.isFinite(timeoutMs)
        ? setTimeout(() => {
            fail(`no server connected within ${timeoutMs} ms`);
          }, timeoutMs)
        : undefined;
      this.#waiting = waiting;
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
    });
  }

  async #secured(socket: net.Socket): Promise<Link> {
    const identity = await this.#identityNow();
    if (identity === undefined) return { socket, identity };
    return new Promise((resolve, reject) => {
      // A TLS server for each connection: it never listens, and has the files as they are now.
      const { ca, cert, key } = identity;
      const handshake = tls.createServer({ ca, cert, key, requestCert: true, rejectUnauthorized: true });
      handshake.once('secureConnection', (secured) => {
        resolve({ socket: explainErrors(secured), identity });
      });
      handshake.once('tlsClientError', reject);
      handshake.emit('connection', socket);
    });
  }
}

async function bind(server: net.Server, endpoint: Endpoint): Promise<void> {
  if (!('path' in endpoint)) return listening(server, { host: endpoint.host, port: endpoint.port });
  try {
    await listening(server, { path: endpoint.path });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || (await answers(endpoint.path))) throw error;
    await rm(endpoint.path);
    await listening(server, { path: endpoint.path });
  }
}

function listening(server: net.Server, at: net.ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Whether somebody listens at a socket file. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
