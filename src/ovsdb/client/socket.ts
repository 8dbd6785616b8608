import net from 'node:net';
import tls from 'node:tls';
import type { Endpoint } from './endpoint.ts';
import { type TlsIdentity, explainTlsError } from './tls.ts';

/** A socket at whose other end a server is. */
export interface Link {
  readonly socket: net.Socket;
  /** What the TLS handshake was made with. */
  readonly identity: TlsIdentity | undefined;
}

/** Where an active connection goes. */
export type ActiveEndpoint = Exclude<Endpoint, { kind: 'ptcp' | 'pssl' }>;

/**
 * Connects to a server. The promise rejects when that fails, takes longer than `timeoutMs`, or is aborted.
 *
 * As in Open vSwitch, a server is who the CA says it is: names in certificates are not compared, because the
 * certificates of ovs-pki(8) carry none.
 */
export async function connectSocket(
  endpoint: ActiveEndpoint,
  identity: TlsIdentity | undefined,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<net.Socket> {
  const socket = dial(endpoint, identity);
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      clearTimeout(timer);
      socket.off('error', settle);
      signal.removeEventListener('abort', onAbort);
      if (error === undefined) return resolve(socket);
      // A socket that is given up may still fail: nobody is interested.
      socket.on('error', () => {}).destroy();
      reject(error);
    };
    const onAbort = (): void => {
      settle(new Error('aborted'));
    };
    const timer = setTimeout(() => {
      settle(new Error(`no connection within ${timeoutMs} ms`));
    }, timeoutMs);
    socket.once('error', settle);
    socket.once(endpoint.kind === 'ssl' ? 'secureConnect' : 'connect', () => {
      settle();
    });
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}

/** Makes the errors of a TLS socket say what they mean, also those that come after the handshake. */
export function explainErrors<S extends net.Socket>(socket: S): S {
  // The first listener: whoever listens later reads the explained message.
  return socket.on('error', (error: Error) => {
    error.message = explainTlsError(error);
  });
}

/** Makes a TCP connection answer small messages at once and notice a peer that vanished. */
export function tune<S extends net.Socket>(socket: S): S {
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  return socket;
}

const KEEP_ALIVE_MS = 10_000;

function dial(endpoint: ActiveEndpoint, identity: TlsIdentity | undefined): net.Socket {
  if ('path' in endpoint) return net.connect({ path: endpoint.path });
  const { kind, host, port } = endpoint;
  if (kind === 'tcp') return tune(net.connect({ host, port }));
  return tune(explainErrors(tls.connect({ host, port, ...identity, checkServerIdentity: () => undefined })));
}
