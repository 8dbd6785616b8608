import { Redis, type RedisOptions as ClientOptions } from 'ioredis';
import { fail, ok, type Result } from '../lib/result.ts';
import { explain, type QueueError } from './queue-error.ts';
import { redisAddress, type RedisOptions } from './redis-options.ts';

export type Log = (event: string, fields: Readonly<Record<string, unknown>>) => void;

/** What a connection is for decides what happens while Redis is away. */
export type Purpose =
  /** Commands fail at once, so that nobody waits for Redis. */
  | 'fail-fast'
  /** Commands wait for Redis to come back, as BullMQ's workers demand. */
  | 'patient';

export interface RedisConnection {
  readonly redis: Redis;
  /** No more tries to reach Redis: what waits for it fails when the next try does. Also for duplicates of `redis`. */
  giveUp(): void;
}

/** Longest pause between two tries to reach Redis again, ms. */
const LONGEST_PAUSE = 2_000;
/** BullMQ's own recommendation. */
const OLDEST_VERSION = [6, 2] as const;

/**
 * Connects, checks that the server can hold a queue, and keeps the connection alive from then on.
 *
 * Errors: BAD_URL, UNREACHABLE, AUTH_FAILED, NOT_PERMITTED, TLS_FAILED, TOO_OLD, EVICTS, READ_ONLY, ABORTED.
 */
export async function connectRedis(
  options: RedisOptions,
  purpose: Purpose,
  log: Log | undefined,
  signal?: AbortSignal,
): Promise<Result<RedisConnection, QueueError>> {
  const address = redisAddress(options);
  if (!address.ok) return address;
  const { client, server } = address.value;
  // The first connection is tried once: a wrong address must be an answer, not an endless wait.
  let persistent = false;
  const pause = (times: number): number | null => (persistent ? pauseBefore(times) : null);
  const settings = {
    ...client,
    ...PURPOSES[purpose],
    ...LIVELINESS,
    lazyConnect: true,
    retryStrategy: pause,
    sentinelRetryStrategy: pause,
    reconnectOnError: leaveReplica(),
    replyMapping: 'legacy',
  } as const satisfies ClientOptions;
  const redis = new Redis(settings);
  const lastError = noteErrors(redis, (error) => {
    if (persistent) log?.('redis.error', { server, error });
  });
  const abort = (): void => {
    redis.disconnect();
  };
  signal?.addEventListener('abort', abort, { once: true });
  try {
    signal?.throwIfAborted();
    await redis.connect();
    const problem = unfit(await redis.info(), server, log);
    if (problem !== undefined) {
      redis.disconnect();
      return fail(problem);
    }
    persistent = true;
    return ok({
      redis,
      giveUp: () => {
        persistent = false;
      },
    });
  } catch (cause) {
    redis.disconnect();
    if (signal?.aborted === true) return fail(aborted(server));
    return fail(explain(lastError() ?? cause, server));
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

function aborted(server: string): QueueError {
  return { code: 'ABORTED', message: `Redis at ${server} was not reached yet.`, hint: 'Start again.' };
}

/** Tells of the connection's errors, and gives back what gives the last one. */
function noteErrors(redis: Redis, tell: (error: string) => void): () => Error | undefined {
  let last: Error | undefined;
  let ofSentinel: Error | undefined;
  redis.on('sentinelError', (error: Error) => {
    ofSentinel = error;
  });
  redis.on('error', (error: Error) => {
    // The connection's own error does not say why no sentinel could be used.
    last = error.message.startsWith('All sentinels') ? (ofSentinel ?? error) : error;
    tell(last.message);
  });
  return () => last;
}

const LIVELINESS = {
  connectTimeout: 10_000,
  keepAlive: 10_000,
} as const;

/** The pause before the next try to reach Redis again, ms; partly by chance, so that a fleet does not come at once. */
function pauseBefore(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 6), LONGEST_PAUSE) * (0.5 + Math.random() / 2);
}

/** Between two reconnects because the server takes no writes, ms. */
const REPLICA_PAUSE = 1_000;

/**
 * Has a connection leave a server that has become a replica (READONLY): the address, or the sentinels, may lead to the new
 * primary by now, but this connection would stay where it is. Not more often than once a second: the server may be alone.
 */
function leaveReplica(): (error: Error) => boolean {
  let last = -Infinity;
  return (error) => {
    if (!error.message.includes('READONLY') || performance.now() - last < REPLICA_PAUSE) return false;
    last = performance.now();
    return true;
  };
}

/**
 * A peer may vanish without a word: a connection on which a command goes unanswered for as long as `socketTimeout`, ms, is
 * given up for another one. BullMQ's own commands block for 10 s at most.
 */
const PURPOSES: Readonly<Record<Purpose, ClientOptions>> = {
  'fail-fast': {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 10_000,
    socketTimeout: 10_000,
  },
  patient: { maxRetriesPerRequest: null, socketTimeout: 20_000 },
};

/** What keeps this server from holding a queue, if anything. */
function unfit(info: string, server: string, log: Log | undefined): QueueError | undefined {
  const version = infoField(info, 'redis_version');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < OLDEST_VERSION[0] || (major === OLDEST_VERSION[0] && minor < OLDEST_VERSION[1])) {
    return {
      code: 'TOO_OLD',
      message: `Redis at ${server} is ${version}.`,
      hint: `Run Redis ${OLDEST_VERSION.join('.')} or newer.`,
    };
  }
  if (infoField(info, 'role') === 'slave') return explain(new Error('READONLY: this is a replica'), server);
  const policy = infoField(info, 'maxmemory_policy');
  if (policy === 'noeviction') return undefined;
  const hint = 'Set it: redis-cli CONFIG SET maxmemory-policy noeviction, and in redis.conf.';
  if (infoField(info, 'maxmemory') === '0') {
    log?.('redis.would-evict', { server, policy, hint });
    return undefined;
  }
  return {
    code: 'EVICTS',
    message: `Redis at ${server} drops keys when memory is short (maxmemory-policy ${policy}): jobs would vanish.`,
    hint,
  };
}

/** A field of the reply to INFO; empty when the server does not tell. */
export function infoField(info: string, name: string): string {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
}
