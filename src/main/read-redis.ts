import { readFile } from 'node:fs/promises';
import { fail, ok, type Result } from '../lib/result.ts';
import { type RedisOptions, usesTls } from '../queue/redis-options.ts';

/** Joins the address of Redis with the CA certificate of a file; the failure is a sentence. */
export async function readRedis(
  url: string,
  caFile: string | undefined,
): Promise<Result<RedisOptions, string>> {
  if (caFile === undefined) return ok({ url });
  if (!usesTls(url)) return fail('--redis-ca is for a Redis with TLS: write rediss:// or rediss+sentinel://');
  try {
    const ca = await readFile(caFile, 'utf8');
    if (!ca.includes('-----BEGIN CERTIFICATE-----'))
      return fail(`--redis-ca ${caFile} holds no certificate (PEM)`);
    return ok({ url, ca });
  } catch (error) {
    return fail(`--redis-ca ${caFile} cannot be read: ${(error as Error).message}`);
  }
}
