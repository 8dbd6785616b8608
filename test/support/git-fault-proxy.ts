import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request as sendRequest } from 'node:http';
import { listen, stop } from './git-http-server.ts';

/** What may go wrong with an answer. `after` counts bytes of the body. */
export type Fault =
  /** The connection is reset. */
  | { readonly kind: 'cut'; readonly after: number }
  /** The answer ends early, as a well-formed HTTP message. */
  | { readonly kind: 'shorten'; readonly after: number }
  /** Nothing more comes. */
  | { readonly kind: 'stall'; readonly after: number }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'replace'; readonly status: number; readonly body: string | Uint8Array };

/** What a fault may depend on. */
export interface SeenRequest {
  /** The list of refs, by GET or by POST of ls-refs, the capabilities before it, or the pack. */
  readonly purpose: 'advertisement' | 'list' | 'pack';
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Which request of this purpose it is, from 1. */
  readonly number: number;
}

/** A proxy before a Git server that spoils answers. */
export interface GitFaultProxy {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** Decides the fault of each request; replace it at any time. */
  fault: (request: SeenRequest) => Fault | undefined;
  close(): Promise<void>;
}

/** Starts a proxy on a free port. It spoils nothing until `fault` is set. */
export async function startGitFaultProxy(target: string): Promise<GitFaultProxy> {
  const seen: SeenRequest[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const body = Buffer.concat(chunks);
    const purpose = purposeOf(request, body);
    const number = seen.filter((other) => other.purpose === purpose).length + 1;
    const current = { purpose, path: request.url ?? '', headers: request.headers, number } as const;
    seen.push(current);
    answer(request, body, response, target, proxy.fault(current));
  };
  const server = createServer((request, response) => void serve(request, response));
  const proxy: GitFaultProxy = {
    url: `http://127.0.0.1:${await listen(server)}`,
    seen,
    fault: () => undefined,
    close: () => stop(server),
  };
  return proxy;
}

function purposeOf(request: IncomingMessage, body: Buffer): SeenRequest['purpose'] {
  if (request.method === 'GET') return 'advertisement';
  return body.includes('command=ls-refs') ? 'list' : 'pack';
}

function answer(
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  target: string,
  fault: Fault | undefined,
): void {
  if (fault?.kind === 'redirect') {
    response.writeHead(307, { location: fault.to }).end();
    return;
  }
  if (fault?.kind === 'replace') {
    response.writeHead(fault.status, { 'content-type': 'text/plain' }).end(fault.body);
    return;
  }
  const options = { method: request.method, headers: request.headers };
  const upstream = sendRequest(`${target}${request.url ?? ''}`, options, (incoming) => {
    response.writeHead(incoming.statusCode ?? 502, incoming.headers);
    const limit = fault?.after ?? Number.POSITIVE_INFINITY;
    let passed = 0;
    incoming.on('data', (chunk: Uint8Array) => {
      const part = chunk.subarray(0, Math.max(0, limit - passed));
      passed += part.byteLength;
      if (part.byteLength > 0) response.write(part);
    });
    incoming.on('end', () => {
      if (fault === undefined || fault.kind === 'shorten') response.end();
      // What was written is on its way first.
      else if (fault.kind === 'cut') setTimeout(() => response.destroy(), 50);
      else response.flushHeaders();
    });
  });
  upstream.on('error', () => response.destroy());
  upstream.end(body);
}
