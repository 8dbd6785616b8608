import { createHash } from 'node:crypto';
import http from 'node:http';
import { ok, type Result } from '../lib/result.ts';
import { type Answer, refusal } from './answer.ts';
import type { ApiParts } from './api-parts.ts';
import { listen } from './listen.ts';
import { isLoopback, isLoopbackHost, type ListenAddress } from './listen-address.ts';
import { readTarget } from './query.ts';
import { answerTarget } from './routes.ts';

/** A server of the status. */
export interface ApiServer {
  /** `http://HOST:PORT/` with the port that was chosen, or `unix:PATH`. */
  readonly url: string;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Limits of one connection: requests here are small and so are we. */
const LIMITS: http.ServerOptions = { maxHeaderSize: 8_192, headersTimeout: 5_000, requestTimeout: 10_000 };
const MOST_CONNECTIONS = 200;

/** Serves page, JSON, metrics and probes, read-only, until closed; a failure to listen says what to do. */
export async function serveApi(parts: ApiParts, address: ListenAddress): Promise<Result<ApiServer, string>> {
  const headers = securityHeaders(parts.page.style);
  const server = http.createServer(LIMITS, (request, response) => {
    void answer(parts, address, request).then((found) => send(request, response, found, headers));
  });
  server.maxConnections = MOST_CONNECTIONS;
  const url = await listen(server, address);
  if (!url.ok) return url;
  return ok({
    url: url.value,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  });
}

async function answer(
  parts: ApiParts,
  address: ListenAddress,
  request: http.IncomingMessage,
): Promise<Answer> {
  try {
    if (!isForUs(address, request.headers.host)) {
      return refusal(
        421,
        'this address is for this machine only, and the request names another host',
        'ask for 127.0.0.1 or localhost; give a reverse proxy a unix socket (--listen PATH)',
      );
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const refused = refusal(405, 'only reading is possible', 'use GET; the network is changed by commits');
      return { ...refused, headers: { Allow: 'GET, HEAD' } };
    }
    const target = readTarget(request.url ?? '');
    return target.ok ? await answerTarget(parts, target.value) : target.error;
  } catch (error) {
    parts.log('request failed', { error: String(error) });
    return refusal(500, 'an error of the program', 'see the log, and report what it says');
  }
}

/**
 * On loopback only requests for loopback are answered: a page of somebody else whose name was made to point here (DNS
 * rebinding) asks with its own name.
 */
function isForUs(address: ListenAddress, host: string | undefined): boolean {
  if (address.kind === 'unix' || !isLoopback(address)) return true;
  return isLoopbackHost((host ?? '').replace(/:[0-9]*$/, '').toLowerCase());
}

function send(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  found: Answer,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(found.status, {
    ...headers,
    ...found.headers,
    'Content-Type': found.type,
    'Content-Length': Buffer.byteLength(found.body),
  });
  response.end(request.method === 'HEAD' ? undefined : found.body);
}

/** No answer may load, embed or run anything, be kept, or be read by pages of others. There is no CORS header on purpose. */
function securityHeaders(style: string): Readonly<Record<string, string>> {
  const hash = createHash('sha256').update(style).digest('base64');
  return {
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Cache-Control': 'no-store',
  };
}
