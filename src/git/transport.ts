import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { GitHttpRequest, GitHttpResponse, HttpClient } from 'isomorphic-git';
import type { Incoming, Outgoing } from './http-exchange.ts';
import { exchange } from './http-exchange.ts';
import { checkPackAnswer, checkRefList } from './pkt-line.ts';
import { redactUrl } from './source-address.ts';
import { SourceFault } from './source-error.ts';
import type { Limits } from './source-options.ts';

/** What the transport needs to know of a server. */
export interface TransportOptions {
  readonly label: string;
  /** Sent with every request, e.g. authorization. */
  readonly headers: Readonly<Record<string, string>>;
  readonly ca: string | undefined;
  readonly limits: Limits;
}

/** Smart HTTP for isomorphic-git, over connections that are kept until `close`. */
export interface Transport {
  client(signal: AbortSignal): HttpClient;
  close(): void;
}

/**
 * Opens a transport that returns only whole, checked answers. It asks once with the given credentials, follows redirects to the
 * same host only, and throws SourceFault with everything sorted out: isomorphic-git passes it on as it is.
 */
export function openTransport(options: TransportOptions): Transport {
  const { ca } = options;
  const agents = {
    'http:': new HttpAgent({ keepAlive: true }),
    'https:': new HttpsAgent({ keepAlive: true, ...(ca === undefined ? {} : { ca }) }),
  };
  return {
    client: (signal) => ({
      request: async (request) => {
        const body = await joined(request.body);
        const purpose = purposeOf(request, body);
        const outgoing = (url: URL): Outgoing => ({
          url,
          method: request.method ?? 'GET',
          headers: { ...request.headers, ...options.headers },
          body,
          agent: url.protocol === 'https:' ? agents['https:'] : agents['http:'],
          label: options.label,
          limits: options.limits,
          maxBytes: purpose === 'pack' ? options.limits.packBytes : REF_LIST_BYTES,
          cut: purpose === 'pack' ? 'PACK_INCOMPLETE' : 'REF_LIST_INCOMPLETE',
          signal,
        });
        const { url, incoming } = await follow(new URL(request.url), outgoing);
        refuseStatus(incoming, options.label);
        if (purpose === 'pack') checkPackAnswer(incoming.bytes, options.label);
        else checkRefList(incoming.bytes, options.label);
        return answer(url, request, incoming);
      },
    }),
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

// The largest public repositories list some 10 MB of refs.
const REF_LIST_BYTES = 64 * 1024 * 1024;
const MOST_REDIRECTS = 5;

async function joined(body: GitHttpRequest['body']): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function purposeOf(request: GitHttpRequest, body: Uint8Array): 'refs' | 'pack' {
  const isListing = request.method !== 'POST' || Buffer.from(body).includes('command=ls-refs');
  return isListing ? 'refs' : 'pack';
}

async function follow(
  start: URL,
  outgoing: (url: URL) => Outgoing,
): Promise<{ readonly url: URL; readonly incoming: Incoming }> {
  let url = start;
  for (let hops = 0; ; hops += 1) {
    const incoming = await exchange(outgoing(url));
    const location = incoming.headers.location;
    if (incoming.status < 300 || incoming.status > 399 || location === undefined) return { url, incoming };
    const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    const isUpgrade =
      url.protocol === 'http:' && target?.protocol === 'https:' && target.hostname === url.hostname;
    if (target === undefined || hops >= MOST_REDIRECTS || (target.origin !== url.origin && !isUpgrade)) {
      const { label } = outgoing(url);
      throw new SourceFault('REDIRECTED', `${label} redirects to ${redactUrl(target?.origin ?? 'nowhere')}`);
    }
    url = target;
  }
}

function refuseStatus({ status, statusText }: Incoming, label: string): void {
  if (status === 200) return;
  const text = `${label} answered ${status} ${statusText.replaceAll(/\p{Cc}/gu, ' ')}`.trimEnd();
  // Azure DevOps answers 203 with a page to sign in.
  if (status === 401 || status === 403 || status === 203) throw new SourceFault('AUTH_FAILED', text);
  if (status === 404 || status === 410) throw new SourceFault('REPOSITORY_MISSING', text);
  if (status === 429 || status >= 500) throw new SourceFault('UNREACHABLE', text);
  throw new SourceFault('BAD_RESPONSE', text);
}

function answer(url: URL, request: GitHttpRequest, incoming: Incoming): GitHttpResponse {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value);
  return {
    url: url.href,
    ...(request.method === undefined ? {} : { method: request.method }),
    headers,
    body: once(incoming.bytes),
    statusCode: incoming.status,
    statusMessage: incoming.statusText,
  };
}

async function* once(bytes: Uint8Array): AsyncIterableIterator<Uint8Array> {
  yield bytes;
}
