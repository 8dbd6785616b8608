import { spawn } from 'node:child_process';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A Git server on this machine: `git http-backend` behind a small HTTP server. */
export interface GitHttpServer {
  /** Of the folder of repositories, without a slash at the end. */
  readonly url: string;
  /** Method and path of every request, in order. */
  readonly requests: readonly string[];
  /** Bytes sent as answers to POST requests so far. */
  sentBytes(): number;
  close(): Promise<void>;
}

/** How to serve. */
export interface GitHttpServerOptions {
  /** Folder with the repositories. */
  readonly root: string;
  /** Asks for basic authentication. */
  readonly login?: { readonly username: string; readonly password: string };
  /** Serves https. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Answers in protocol version 1 whatever is asked for. */
  readonly isOld?: boolean;
}

/** Starts a server on a free port. */
export async function startGitHttpServer(options: GitHttpServerOptions): Promise<GitHttpServer> {
  const requests: string[] = [];
  let sent = 0;
  const serve: RequestListener = (request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    if (isRefused(request, options)) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('authentication required');
      return;
    }
    runBackend(request, response, options, (bytes) => {
      if (request.method === 'POST') sent += bytes;
    });
  };
  const server = options.tls === undefined ? createServer(serve) : createTlsServer(options.tls, serve);
  const port = await listen(server);
  const scheme = options.tls === undefined ? 'http' : 'https';
  return { url: `${scheme}://127.0.0.1:${port}`, requests, sentBytes: () => sent, close: () => stop(server) };
}

/** Listens on a free port of the loopback address and returns it. */
export function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** Stops a server and its connections. */
export function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function isRefused(request: IncomingMessage, { login }: GitHttpServerOptions): boolean {
  if (login === undefined) return false;
  const pair = Buffer.from(`${login.username}:${login.password}`).toString('base64');
  return request.headers.authorization !== `Basic ${pair}`;
}

function runBackend(
  request: IncomingMessage,
  response: ServerResponse,
  { root, isOld }: GitHttpServerOptions,
  count: (bytes: number) => void,
): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: request.headers['content-length'] ?? '',
      GIT_PROTOCOL: isOld === true ? '' : String(request.headers['git-protocol'] ?? ''),
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  // The backend may answer without reading everything.
  child.stdin.on('error', () => request.resume());
  let head: Buffer | undefined = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    let body = chunk;
    if (head !== undefined) {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      body = head.subarray(end + 4);
      writeHead(response, head.toString('latin1', 0, end));
      head = undefined;
    }
    count(body.byteLength);
    response.write(body);
  });
  child.on('close', () => response.end());
  response.on('close', () => child.kill());
}

function writeHead(response: ServerResponse, text: string): void {
  let status = 200;
  for (const line of text.split('\r\n')) {
    const [name = '', value = ''] = line.split(/: (.*)/u);
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
  response.writeHead(status);
}
