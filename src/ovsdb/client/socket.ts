import { readFile } from 'node:fs/promises';
import net from 'node:net';
import tls from 'node:tls';
import type { Endpoint } from './endpoint.ts';
import { OvsdbError } from './error.ts';

/** PEM texts, or paths of files that hold them; files are read again at each connection, so they may be renewed. */
export interface TlsOptions {
  /** Who signed the server's certificate. */
  readonly ca: string;
  /** What the client shows to the server. */
  readonly cert: string;
  readonly key: string;
}

/**
 * Connects to a server. The promise rejects when that fails, takes longer than `timeoutMs`, or is aborted.
 *
 * As in Open vSwitch, a server is who the CA says it is: names in certificates are not compared, because the
 * certificates of ovs-pki(8) carry none.
 */
export async function connectSocket(
  endpoint: Endpoint,
  tlsOptions: TlsOptions | undefined,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<net.Socket> {
  const socket = endpoint.kind === 'ssl' ? await secure(endpoint, tlsOptions) : plain(endpoint);
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

/** Reads what TLS needs. @throws OvsdbError when a file cannot be read. */
export async function loadTls(options: TlsOptions): Promise<tls.SecureContextOptions> {
  const [ca, cert, key] = await Promise.all([options.ca, options.cert, options.key].map(readPem));
  try {
    return {
      ca,
      cert,
      key,
      secureContext: tls.createSecureContext({ ca, cert, key }),
    } as tls.SecureContextOptions;
  } catch (error) {
    throw new OvsdbError('bad-tls', `TLS cannot use ca, cert and key: ${String(error)}`, PEM_ADVICE, error);
  }
}

const PEM_ADVICE =
  'give PEM texts or readable files for ca, cert and key; the key must belong to the certificate';
const KEEP_ALIVE_MS = 10_000;

function plain(endpoint: Endpoint): net.Socket {
  if (endpoint.kind === 'unix') return net.connect({ path: endpoint.path });
  const { host, port } = endpoint;
  return net.connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });
}

async function secure(
  endpoint: Endpoint & { kind: 'tcp' | 'ssl' },
  options: TlsOptions | undefined,
): Promise<net.Socket> {
  if (options === undefined) throw new OvsdbError('bad-tls', 'an ssl: remote needs tls options', PEM_ADVICE);
  const context = await loadTls(options);
  const socket = tls.connect({
    host: endpoint.host,
    port: endpoint.port,
    ...context,
    checkServerIdentity: () => undefined,
  });
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  return socket;
}

async function readPem(textOrPath: string): Promise<string> {
  if (textOrPath.includes('-----BEGIN')) return textOrPath;
  try {
    return await readFile(textOrPath, 'utf8');
  } catch (error) {
    throw new OvsdbError('bad-tls', `${textOrPath} cannot be read: ${String(error)}`, PEM_ADVICE, error);
  }
}
