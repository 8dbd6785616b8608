import { parseIp } from '../lib/ip.ts';
import { fail, ok, type Result } from '../lib/result.ts';

/** Where to listen: a TCP port of one address, or a unix socket. */
export type ListenAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/**
 * Reads `HOST:PORT` or the path of a unix socket (with a slash). The host is an IP address or localhost, so that
 * whoever opens the page to other machines has written it: there is no short form for all addresses. Port 0 is a free one.
 */
export function parseListenAddress(text: string): Result<ListenAddress, string> {
  if (text.includes('/')) return ok({ kind: 'unix', path: text });
  const match = /^(?:\[([^\]]+)\]|([^:]+)):([0-9]{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    return fail('is neither HOST:PORT nor a path with a slash, e.g. 127.0.0.1:8080 or ./page.sock');
  }
  const host = match[1] ?? match[2] ?? '';
  if (host === 'localhost') return ok({ kind: 'tcp', host: '127.0.0.1', port });
  if (!parseIp(host).ok) {
    return fail('names no IP address: write 127.0.0.1 for this machine only, 0.0.0.0 for every machine');
  }
  return ok({ kind: 'tcp', host, port });
}

/** True when only this machine can connect. */
export function isLoopback(address: ListenAddress): boolean {
  return address.kind === 'unix' || isLoopbackHost(address.host);
}

/** True for the names and addresses of this machine itself; IPv6 may stand in brackets. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || /^127(?:\.[0-9]{1,3}){3}$/.test(host) || /^(?:::1|\[::1\])$/.test(host);
}
