import { type Result, fail, ok } from '../../lib/result.ts';

/** Where a server listens. */
export type Endpoint =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp' | 'ssl'; readonly host: string; readonly port: number };

/**
 * Reads `unix:PATH` (relative paths stay relative), `tcp:HOST[:PORT]` or `ssl:HOST[:PORT]`, with IPv6 addresses in
 * brackets, as ovsdb(7) "Active OVSDB Connections" writes them. The error says what is wrong.
 */
export function parseEndpoint(text: string): Result<Endpoint, string> {
  const [, kind = '', rest = ''] = /^([a-z]*):(.*)$/s.exec(text) ?? [];
  switch (kind) {
    case 'unix':
      return rest === '' ? fail(`"${text}" has no path`) : ok({ kind, path: rest });
    case 'tcp':
    case 'ssl':
      return parseAddress(kind, rest, text);
    case 'punix':
    case 'ptcp':
    case 'pssl':
      return fail(`"${text}" is what a server listens on; a client needs ${kind.slice(1)}:`);
    default:
      return fail(`"${text}" does not start with unix:, tcp: or ssl:`);
  }
}

/** IANA's port for OVSDB (RFC 7047 7), as ovsdb(7) defaults to. */
const DEFAULT_PORT = 6640;

function parseAddress(kind: 'tcp' | 'ssl', rest: string, text: string): Result<Endpoint, string> {
  const address = /^(?:\[([0-9A-Fa-f:.%\w]+)\]|([^[\]:\s]+))(?::(\d{1,5}))?$/.exec(rest);
  if (address === null) {
    return rest.includes('::') || rest.split(':').length > 2
      ? fail(`"${text}": write an IPv6 address in brackets, as ${kind}:[::1]:6641`)
      : fail(`"${text}" is not ${kind}:HOST:PORT`);
  }
  const port = address[3] === undefined ? DEFAULT_PORT : Number(address[3]);
  if (port < 1 || port > 65_535) return fail(`"${text}": port ${port} is not between 1 and 65535`);
  return ok({ kind, host: (address[1] ?? address[2]) as string, port });
}
