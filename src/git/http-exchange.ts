import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { SourceErrorCode } from './source-error.ts';
import { SourceFault } from './source-error.ts';
import type { Limits } from './source-options.ts';

/** One request. */
export interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly agent: Agent;
  /** What to call the other side in messages. */
  readonly label: string;
  readonly limits: Pick<Limits, 'connectMs' | 'idleMs' | 'totalMs'>;
  /** Largest answer that is accepted. */
  readonly maxBytes: number;
  /** What an answer is called that ends too early. */
  readonly cut: SourceErrorCode;
  readonly signal: AbortSignal;
}

/** One whole answer. */
export interface Incoming {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Uint8Array;
}

/**
 * Sends a request and waits for the whole answer, within the limits. Throws SourceFault; an answer that ends before it is
 * complete is never returned.
 */
export async function exchange(outgoing: Outgoing): Promise<Incoming> {
  try {
    return await exchangeOnce(outgoing);
  } catch (cause) {
    // A server may close an idle connection at the moment that we use it again. Reading is safe to repeat.
    if (!(cause instanceof StaleConnection)) throw cause;
    return exchangeOnce(outgoing);
  }
}

/** The connection was closed before the request could reach the server. */
class StaleConnection extends SourceFault {}

function exchangeOnce(outgoing: Outgoing): Promise<Incoming> {
  const { url, method, headers, body, agent, label, limits, signal } = outgoing;
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, {
      method,
      agent,
      headers: { ...headers, 'content-length': String(body.byteLength) },
    });
    const fail = (fault: SourceFault): void => {
      reject(fault);
      request.destroy();
    };
    const timers = startTimers(request, limits, label, fail);
    const abort = (): void => fail(new SourceFault('ABORTED', `the request to ${label} was stopped`));
    signal.addEventListener('abort', abort, { once: true });
    request.on('close', () => {
      timers.stop();
      signal.removeEventListener('abort', abort);
      // Has no effect after an answer or another fault.
      reject(new SourceFault(outgoing.cut, `${label} closed the connection`));
    });
    request.on('error', (cause: NodeJS.ErrnoException) => fail(requestFault(request, outgoing, cause)));
    request.on('response', (response) => collect(response, outgoing, timers.progress, resolve, fail));
    if (signal.aborted) abort();
    else request.end(body);
  });
}

function collect(
  response: IncomingMessage,
  { label, maxBytes, cut }: Outgoing,
  progress: () => void,
  resolve: (incoming: Incoming) => void,
  fail: (fault: SourceFault) => void,
): void {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const tooLarge = (): void =>
    fail(new SourceFault('TOO_LARGE', `the answer of ${label} has more than the ${maxBytes} bytes allowed`));
  const cutOff = (): void =>
    fail(new SourceFault(cut, `the answer of ${label} was cut off after ${size} bytes`));
  progress();
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) {
    tooLarge();
    return;
  }
  response.on('data', (chunk: Uint8Array) => {
    progress();
    size += chunk.byteLength;
    if (size > maxBytes) tooLarge();
    else chunks.push(chunk);
  });
  response.on('error', cutOff);
  response.on('aborted', cutOff);
  response.on('end', () => {
    if (!response.complete) cutOff();
    else {
      const { statusCode: status = 0, statusMessage: statusText = '', headers } = response;
      resolve({ status, statusText, headers, bytes: Buffer.concat(chunks) });
    }
  });
}

function startTimers(
  request: ClientRequest,
  { connectMs, idleMs, totalMs }: Outgoing['limits'],
  label: string,
  fail: (fault: SourceFault) => void,
): { readonly progress: () => void; readonly stop: () => void } {
  const expire = (what: string, ms: number) =>
    setTimeout(() => fail(new SourceFault('TIMED_OUT', `${label} ${what} within ${ms} ms`)), ms);
  const total = expire('did not answer completely', totalMs);
  const connect = expire('accepted no connection', connectMs);
  let idle: NodeJS.Timeout | undefined;
  const progress = (): void => {
    clearTimeout(connect);
    clearTimeout(idle);
    idle = expire('sent nothing', idleMs);
  };
  request.on('socket', (socket) => {
    if (!socket.connecting) progress();
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', progress);
  });
  const stop = (): void => {
    for (const timer of [total, connect, idle]) clearTimeout(timer);
  };
  return { progress, stop };
}

function requestFault(
  request: ClientRequest,
  { label }: Outgoing,
  cause: NodeJS.ErrnoException,
): SourceFault {
  const code = cause.code ?? '';
  if (request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')) {
    return new StaleConnection('UNREACHABLE', `${label} closed an idle connection`);
  }
  const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/u.test(code);
  return new SourceFault(isCertificate ? 'CERTIFICATE_REFUSED' : 'UNREACHABLE', `${label}: ${cause.message}`);
}
