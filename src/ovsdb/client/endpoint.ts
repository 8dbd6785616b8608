import { type Result, fail, ok } from '../../lib/result.ts';

/** Where a server listens (active), or where this client listens for a server that dials out (passive). */
export type Endpoint =
  | { readonly kind: 'unix' | 'punix'; readonly path: string }
  | { readonly kind: 'tcp' | 'ssl'; readonly host: string; readonly port: number }
  /** `host` is the local address; port 0 lets the system choose. */
  | { readonly kind: 'ptcp' | 'pssl'; readonly host: string; readonly port: number };

/**
 * Reads a connection method of ovsdb(7): `unix:PATH` (relative paths stay relative), `tcp:HOST[:PORT]`,
 * `ssl:HOST[:PORT]`, or, for a server that connects to its client, `punix:PATH`, `ptcp:[PORT][:IP]`,
 * `pssl:[PORT][:IP]`. IPv6 addresses are in brackets. The error says what is wrong.
 */
export function parseEndpoint(text: string): Result<Endpoint, string> {
  const [, kind = '', rest = ''] = /^([a-z]*):(.*)$/s.exec(text) ?? [];
  switch (kind) {
    case 'unix':
    case 'punix':
      return rest === '' ? fail(`"${text}" has no path`) : ok({ kind, path: rest });
    case 'tcp':
    case 'ssl':
      return parseAddress(kind, rest, text);
    case 'ptcp':
    case 'pssl':
      return parseListener(kind, rest, text);
    default:
      return fail(`"${text}" does not start with unix:, tcp: or ssl: (or punix:, ptcp: or pssl:)`);
  }
}

/** Whether the server connects to the client. */
export function isPassive({ kind }: Endpoint): boolean {
  return kind === 'punix' || kind === 'ptcp' || kind === 'pssl';
}

/** Whether the connection needs certificates. */
export function isSecure({ kind }: Endpoint): boolean {
  return kind === 'ssl' || kind === 'pssl';
}

/** IANA's port for OVSDB (RFC 7047 7), as ovsdb(7) defaults to. */
const DEFAULT_PORT = 6640;
/** What a listener without an address is bound to: every IPv4 address, as ovsdb(7) says. */
const ANY_ADDRESS = '0.0.0.0';

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

function parseListener(kind: 'ptcp' | 'pssl', rest: string, text: string): Result<Endpoint, string> {
  const listener = /^(\d{1,5})?(?::(?:\[([0-9A-Fa-f:.%\w]+)\]|([^[\]:\s]+)))?$/.exec(rest);
  if (listener === null) return fail(`"${text}" is not ${kind}:PORT or ${kind}:PORT:IP`);
  const port = listener[1] === undefined ? DEFAULT_PORT : Number(listener[1]);
  if (port > 65_535) return fail(`"${text}": port ${port} is not between 0 and 65535`);
  return ok({ kind, host: listener[2] ?? listener[3] ?? ANY_ADDRESS, port });
}
