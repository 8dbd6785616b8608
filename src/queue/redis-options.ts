import type { RedisOptions as ClientOptions } from 'ioredis';
import { fail, ok, type Result } from '../lib/result.ts';
import type { QueueError } from './queue-error.ts';

/** Where Redis is. */
export interface RedisOptions {
  /**
   * One server: `redis://[user:password@]host[:port][/database]`, `rediss://...` with TLS, `unix:/path` or `/path`. The
   * primary that sentinels name: `redis+sentinel://[user:password@]host[:port],...,host[:port]/name[/database]`, or
   * `rediss+sentinel://...` with TLS to all of them; `?sentinel-password=...` where the sentinels ask for one.
   */
  readonly url: string;
  /** For TLS: the CA that signed the servers' certificates (PEM), instead of the system's. */
  readonly ca?: string;
}

/** Options for ioredis, and how people know the server: without user and password. */
export interface RedisAddress {
  readonly client: ClientOptions;
  readonly server: string;
}

/** True for an address that is spoken to with TLS. */
export function usesTls(url: string): boolean {
  return url.startsWith('rediss:') || url.startsWith('rediss+sentinel:');
}

/** Reads where Redis is. Errors: BAD_URL. */
export function redisAddress({ url, ca }: RedisOptions): Result<RedisAddress, QueueError> {
  const tls = usesTls(url) ? { tls: ca === undefined ? {} : { ca } } : {};
  try {
    const unix = /^(?:unix:(?:\/\/)?)?(?<path>\/.+)$/.exec(url)?.groups?.['path'];
    if (unix !== undefined) return ok({ client: { path: unix }, server: unix });
    if (/^rediss?\+sentinel:/.test(url)) return sentinelAddress(url, tls);
    return URL.canParse(url) ? networkAddress(new URL(url), tls) : badUrl('not a URL');
  } catch (error) {
    if (error instanceof URIError) return badUrl('a % is not followed by two hexadecimal digits');
    throw error;
  }
}

type Tls = Pick<ClientOptions, 'tls'>;

function networkAddress(url: URL, tls: Tls): Result<RedisAddress, QueueError> {
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:')
    return badUrl(`unknown scheme ${url.protocol}`);
  if (url.hostname === '') return badUrl('no host');
  const database = url.pathname.replace(/^\//, '');
  if (!/^\d*$/.test(database)) return badUrl(`the database must be a number, not ${database}`);
  // IPv6 addresses stand in brackets in a URL only.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? 6379 : Number(url.port);
  const account = accountOf(url.username, url.password);
  return ok({
    client: { host, port, db: Number(database), ...account, ...tls },
    server: `${url.protocol}//${url.hostname}:${port}/${Number(database)}`,
  });
}

/** A list of hosts is more than a URL holds (RFC 3986 3.2.2), so that it is taken apart here. */
const SENTINEL_URL =
  /^[^:]+:\/\/(?:(?<user>[^:@/?]*)(?::(?<password>[^@/?]*))?@)?(?<hosts>[^@/?]*)(?:\/(?<name>[^/?]*))?(?:\/(?<database>[^/?]*))?(?:\?(?<query>.*))?$/;

function sentinelAddress(url: string, tls: Tls): Result<RedisAddress, QueueError> {
  const found = SENTINEL_URL.exec(url)?.groups;
  if (found === undefined) return badUrl('not an address of sentinels');
  const { user = '', password = '', hosts = '', name = '', database = '', query = '' } = found;
  const sentinels: { host: string; port: number }[] = [];
  for (const text of hosts.split(',')) {
    const sentinel = sentinelOf(text);
    if (sentinel === undefined) return badUrl(`"${text}" is not a sentinel's host:port`);
    sentinels.push(sentinel);
  }
  if (name === '') return badUrl('the name that the sentinels give the primary is missing');
  if (!/^\d*$/.test(database)) return badUrl(`the database must be a number, not ${database}`);
  const { 'sentinel-password': sentinelPassword, ...unknown } = Object.fromEntries(
    new URLSearchParams(query),
  );
  const [unknownName] = Object.keys(unknown);
  if (unknownName !== undefined) return badUrl(`unknown parameter ${unknownName}`);
  const primary = decodeURIComponent(name);
  return ok({
    client: {
      sentinels,
      name: primary,
      db: Number(database),
      ...accountOf(user, password),
      ...tls,
      ...('tls' in tls ? { sentinelTLS: tls.tls, enableTLSForSentinelMode: true } : {}),
      ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
      // ioredis 6.0 ends for good when it hears of a failover while it connects, and sentinels cut off our connections anyway.
      failoverDetector: false,
    },
    server: `${primary} of the sentinels ${hosts}`,
  });
}

/** `host`, `host:port`, `[IPv6]` or `[IPv6]:port`. */
function sentinelOf(text: string): { host: string; port: number } | undefined {
  const found = /^(?:\[(?<ip6>[0-9a-fA-F:.]+)\]|(?<host>[^\s:[\]]+))(?::(?<port>\d{1,5}))?$/.exec(
    text,
  )?.groups;
  const host = found?.['ip6'] ?? found?.['host'];
  const port = Number(found?.['port'] ?? 26_379);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}

function accountOf(user: string, password: string): Pick<ClientOptions, 'username' | 'password'> {
  return {
    ...(user === '' ? {} : { username: decodeURIComponent(user) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
}

function badUrl(what: string): Result<RedisAddress, QueueError> {
  return fail({
    code: 'BAD_URL',
    message: `the address of Redis can't be read: ${what}.`,
    hint: 'Write redis://host:port, rediss://host:port for TLS, redis+sentinel://host:port,host:port/name, or unix:/path/of/the.sock.',
  });
}
