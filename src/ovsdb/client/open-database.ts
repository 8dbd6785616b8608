import { untilCalled } from './abort.ts';
import type { Database } from './database.ts';
import { FollowedDatabase } from './followed-database.ts';
import type { DatabaseOptions } from './options.ts';
import { openRemotes } from './remote.ts';

/**
 * Connects to the first of `remotes` that serves `database`, and follows it from then on over reconnects. Resolves when
 * the first replica is complete. Servers that are down are waited for; abort the signal to give up.
 *
 * @throws OvsdbError for a wrong remote, condition or TLS file, a database, table or column that does not exist, and for
 *   an abort.
 */
export async function openDatabase(options: DatabaseOptions, signal?: AbortSignal): Promise<Database> {
  const database = new FollowedDatabase(options, await openRemotes(options.remotes, options.tls));
  try {
    await untilCalled((done) => database.onAttempt(done), signal);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
