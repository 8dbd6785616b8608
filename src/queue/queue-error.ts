/** Why Redis can't be used, and what to do about it. */
export interface QueueError {
  readonly code:
    | 'BAD_URL'
    | 'BAD_OWNER'
    | 'UNREACHABLE'
    | 'AUTH_FAILED'
    | 'NOT_PERMITTED'
    | 'TLS_FAILED'
    | 'TOO_OLD'
    | 'EVICTS'
    | 'READ_ONLY'
    | 'ABORTED'
    | 'REDIS_FAILED';
  /** Names the server, never a password. */
  readonly message: string;
  /** What to do, in the imperative. */
  readonly hint: string;
}

/** Thrown where Redis was there at the start and is away now. */
export class QueueFailure extends Error {
  readonly error: QueueError;

  constructor(error: QueueError, cause: unknown) {
    super(`${error.message} ${error.hint}`, { cause });
    this.name = 'QueueFailure';
    this.error = error;
  }
}

/** Says what an error of ioredis or of the network means. `server` is how people know the server. */
export function explain(cause: unknown, server: string): QueueError {
  const { message, code } = cause as NodeJS.ErrnoException;
  const known = MEANINGS.find(({ pattern }) => pattern.test(`${code ?? ''} ${message}`));
  const { means, hint } = known ?? OTHERWISE;
  return { code: means, message: `Redis at ${server}: ${message}.`, hint };
}

const OTHERWISE: Pick<Meaning, 'means' | 'hint'> = {
  means: 'REDIS_FAILED',
  hint: 'Read the log of the Redis server.',
};

interface Meaning {
  readonly pattern: RegExp;
  readonly means: QueueError['code'];
  readonly hint: string;
}

const MEANINGS: readonly Meaning[] = [
  {
    pattern: /WRONGPASS|NOAUTH|invalid password|without any password/i,
    means: 'AUTH_FAILED',
    hint: 'Give the user and the password in the URL: redis://user:password@host:port.',
  },
  {
    pattern: /NOPERM/,
    means: 'NOT_PERMITTED',
    hint: 'Let this user run all commands on keys that start with {ovn-gitops: (ACL SETUSER).',
  },
  {
    pattern: /certificate|SSL|TLS|ERR_OSSL|wrong version number/i,
    means: 'TLS_FAILED',
    hint: 'Use rediss:// only where the server speaks TLS, and name the CA that signed its certificate.',
  },
  {
    pattern: /READONLY/,
    means: 'READ_ONLY',
    hint: 'Name the primary, or its sentinels; a replica takes no writes.',
  },
  {
    pattern: /invalid reply|No such master/,
    means: 'UNREACHABLE',
    hint: 'Correct the name of the primary: the sentinels monitor none of this name (SENTINEL MASTERS lists them).',
  },
  {
    pattern:
      /ECONNREFUSED|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNRESET|EACCES|sentinels|closed|writeable|max retries/i,
    means: 'UNREACHABLE',
    hint: 'Start redis-server there, or correct the URL.',
  },
];
