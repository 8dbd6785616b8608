import type { Redis } from 'ioredis';

/** A command that writes one key. */
export type WriteCommand = readonly [
  name: 'set' | 'del' | keyof typeof TYPES,
  key: string,
  ...rest: readonly string[],
];

/** The type that a command needs its key to have. */
const TYPES = {
  hset: 'hash',
  hdel: 'hash',
  hincrby: 'hash',
  lpush: 'list',
  ltrim: 'list',
  lrem: 'list',
  zadd: 'zset',
  zrem: 'zset',
} as const;

/**
 * Carries out commands as one MULTI. Keys of a wrong type are deleted, and what was refused because of them is carried out
 * again.
 *
 * @returns the keys that were replaced
 * @throws what Redis or the connection answers otherwise
 */
export async function commitWrites(
  redis: Redis,
  commands: readonly WriteCommand[],
): Promise<readonly string[]> {
  const refused = await refusals(redis, commands);
  if (refused.length === 0) return [];
  const types = new Map(refused.map(([name, key]) => [key, TYPES[name as keyof typeof TYPES]]));
  const deletions = [...types].map(([key, type]) => ['eval', DELETE_OTHER_TYPE, '1', key, type]);
  await refusals(redis, [...deletions, ...refused]);
  return [...types.keys()];
}

/** Another program may have replaced the key meanwhile: what it wrote stays. KEYS: the key. ARGV: the type to leave. */
const DELETE_OTHER_TYPE = `
if redis.call('TYPE', KEYS[1]).ok ~= ARGV[1] then redis.call('DEL', KEYS[1]) end
`;

/** True for Redis' answer to a command that doesn't fit the type of its key. */
export function isWrongType(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('WRONGTYPE');
}

/** Which of the commands of a MULTI met a key of a wrong type; any other error of one of them is thrown. */
async function refusals<T extends readonly string[]>(
  redis: Redis,
  commands: readonly T[],
): Promise<readonly T[]> {
  const replies = (await redis.multi(commands.map((command) => [...command])).exec()) ?? [];
  return commands.filter((_, index) => {
    const error = replies[index]?.[0] ?? null;
    if (error !== null && !isWrongType(error)) throw error;
    return error !== null;
  });
}
