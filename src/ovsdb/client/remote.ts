import { type Endpoint, isPassive, isSecure, parseEndpoint } from './endpoint.ts';
import { OvsdbError } from './error.ts';
import { listen } from './listener.ts';
import { type ActiveEndpoint, type Link, connectSocket } from './socket.ts';
import { type TlsIdentity, type TlsOptions, loadTls } from './tls.ts';

/** Where connections come from: one entry of `remotes`. */
export interface Remote {
  /** As it was given. */
  readonly text: string;
  readonly isPassive: boolean;
  /** The port of a TCP listener. */
  readonly port: number | undefined;
  /**
   * The next connection to a server. Rejects when there is none within `timeoutMs` (which may be Infinity for a passive
   * remote) and when the signal aborts.
   */
  connect(timeoutMs: number, signal: AbortSignal): Promise<Link>;
  /** Stops listening; connections stay. */
  close(): Promise<void>;
}

/**
 * Opens all remotes: the passive ones listen from now on. Nothing is left open when it throws.
 *
 * @throws OvsdbError `bad-remote` or `bad-tls`, naming every remote that is wrong.
 */
export async function openRemotes(
  texts: readonly string[],
  tls: TlsOptions | undefined,
): Promise<readonly Remote[]> {
  const endpoints = readEndpoints(texts, tls);
  if (tls !== undefined) await loadTls(tls);
  const opened = await Promise.allSettled(
    endpoints.map((endpoint, at) => openRemote(texts[at] as string, endpoint, tls)),
  );
  const remotes = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = opened.find((each) => each.status === 'rejected');
  if (failed === undefined) return remotes;
  await Promise.all(remotes.map((remote) => remote.close()));
  throw failed.reason as Error;
}

function readEndpoints(texts: readonly string[], tls: TlsOptions | undefined): readonly Endpoint[] {
  const parsed = texts.map(parseEndpoint);
  const faults = parsed.flatMap((each) => (each.ok ? [] : [each.error]));
  if (texts.length === 0) faults.push('there is no remote');
  if (faults.length > 0) {
    throw new OvsdbError('bad-remote', faults.join('; '), 'write unix:PATH, tcp:HOST:PORT or ssl:HOST:PORT');
  }
  const endpoints = parsed.flatMap((each) => (each.ok ? [each.value] : []));
  if (tls === undefined && endpoints.some(isSecure)) {
    throw new OvsdbError('bad-tls', 'an ssl: remote needs ca, cert and key', 'give the tls option');
  }
  return endpoints;
}

async function openRemote(text: string, endpoint: Endpoint, tls: TlsOptions | undefined): Promise<Remote> {
  const identityNow = async (): Promise<TlsIdentity | undefined> =>
    isSecure(endpoint) && tls !== undefined ? loadTls(tls) : undefined;
  if (isPassive(endpoint)) {
    const listener = await listen(text, endpoint, identityNow);
    return {
      text,
      isPassive: true,
      port: listener.port,
      connect: (timeoutMs, signal) => listener.next(timeoutMs, signal),
      close: () => listener.close(),
    };
  }
  return {
    text,
    isPassive: false,
    port: undefined,
    connect: async (timeoutMs, signal) => {
      const identity = await identityNow();
      const socket = await connectSocket(endpoint as ActiveEndpoint, identity, timeoutMs, signal);
      return { socket, identity };
    },
    close: async () => {},
  };
}
