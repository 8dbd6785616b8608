import { untilCalled } from './abort.ts';
import type { Database } from './database.ts';
import { type Endpoint, parseEndpoint } from './endpoint.ts';
import { OvsdbError } from './error.ts';
import { FollowedDatabase } from './followed-database.ts';
import type { DatabaseOptions } from './options.ts';
import { loadTls } from './socket.ts';

/**
 * Connects to the first of `remotes` that serves `database`, and follows it from then on over reconnects. Resolves when
 * the first replica is complete. Servers that are down are waited for; abort the signal to give up.
 *
 * @throws OvsdbError for a wrong remote or TLS file, a database, table or column that does not exist, and for an abort.
 */
export async function openDatabase(options: DatabaseOptions, signal?: AbortSignal): Promise<Database> {
  const endpoints = readRemotes(options);
  if (options.tls !== undefined) await loadTls(options.tls);
  const database = new FollowedDatabase(options, endpoints);
  try {
    await untilCalled((done) => database.onOpened(done), signal);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function readRemotes(options: DatabaseOptions): readonly Endpoint[] {
  const parsed = options.remotes.map(parseEndpoint);
  const faults = parsed.flatMap((each) => (each.ok ? [] : [each.error]));
  if (options.remotes.length === 0) faults.push('there is no remote');
  if (faults.length > 0) {
    throw new OvsdbError('bad-remote', faults.join('; '), 'write unix:PATH, tcp:HOST:PORT or ssl:HOST:PORT');
  }
  const endpoints = parsed.flatMap((each) => (each.ok ? [each.value] : []));
  if (options.tls === undefined && endpoints.some(({ kind }) => kind === 'ssl')) {
    throw new OvsdbError('bad-tls', 'an ssl: remote needs ca, cert and key', 'give the tls option');
  }
  return endpoints;
}
