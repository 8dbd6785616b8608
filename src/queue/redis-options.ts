import type { RedisOptions as ClientOptions } from 'ioredis';
import { fail, ok, type Result } from '../lib/result.ts';
import type { QueueError } from './queue-error.ts';

/** Where Redis is: one server, or the primary that sentinels name. */
export type RedisOptions =
  | {
      /** `redis://[user:password@]host[:port][/database]`, `rediss://...` with TLS, `unix:/path` or `/path`. */
      readonly url: string;
      /** For rediss: the CA that signed the server's certificate (PEM), instead of the system's. */
      readonly ca?: string;
    }
  | {
      readonly sentinels: readonly { readonly host: string; readonly port: number }[];
      /** The name of the primary in the sentinels' configuration. */
      readonly primary: string;
      readonly username?: string;
      readonly password?: string;
      readonly sentinelPassword?: string;
    };

/** Options for ioredis, and how people know the server: without user and password. */
export interface RedisAddress {
  readonly client: ClientOptions;
  readonly server: string;
}

/** Reads where Redis is. Errors: BAD_URL. */
export function redisAddress(options: RedisOptions): Result<RedisAddress, QueueError> {
  if ('sentinels' in options) return sentinelAddress(options);
  const unix = /^(?:unix:(?:\/\/)?)?(?<path>\/.+)$/.exec(options.url)?.groups?.['path'];
  if (unix !== undefined) return ok({ client: { path: unix }, server: unix });
  return URL.canParse(options.url) ? networkAddress(new URL(options.url), options.ca) : badUrl('not a URL');
}

function networkAddress(url: URL, ca: string | undefined): Result<RedisAddress, QueueError> {
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:')
    return badUrl(`unknown scheme ${url.protocol}`);
  if (url.hostname === '') return badUrl('no host');
  const database = url.pathname.replace(/^\//, '');
  if (!/^\d*$/.test(database)) return badUrl(`the database must be a number, not ${database}`);
  // IPv6 addresses stand in brackets in a URL only.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? 6379 : Number(url.port);
  return ok({
    client: {
      host,
      port,
      db: Number(database),
      ...(url.username === '' ? {} : { username: decodeURIComponent(url.username) }),
      ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
      ...(url.protocol === 'rediss:' ? { tls: ca === undefined ? {} : { ca } } : {}),
    },
    server: `${url.protocol}//${url.hostname}:${port}/${Number(database)}`,
  });
}

function sentinelAddress(
  options: Extract<RedisOptions, { sentinels: unknown }>,
): Result<RedisAddress, QueueError> {
  const { sentinels, primary, username, password, sentinelPassword } = options;
  if (sentinels.length === 0) return badUrl('no sentinels');
  const nodes = sentinels.map(({ host, port }) => `${host}:${port}`).join(', ');
  return ok({
    client: {
      sentinels: [...sentinels],
      name: primary,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    },
    server: `${primary} of the sentinels ${nodes}`,
  });
}

function badUrl(what: string): Result<RedisAddress, QueueError> {
  return fail({
    code: 'BAD_URL',
    message: `the address of Redis can't be read: ${what}.`,
    hint: 'Write redis://host:port, rediss://host:port for TLS, or unix:/path/of/the.sock.',
  });
}
