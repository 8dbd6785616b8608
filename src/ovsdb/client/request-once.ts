import { errorText } from '../protocol/outcome.ts';
import { Connection } from './connection.ts';
import { OvsdbError } from './error.ts';
import { openRemotes } from './remote.ts';
import type { TlsOptions } from './tls.ts';

/** How a single request is sent. */
export interface RequestOptions {
  /** Needed for `ssl:` and `pssl:` remotes. */
  readonly tls?: TlsOptions;
  /** How long connecting may take, in milliseconds; a request itself takes as long as the server lives. Default 10,000. */
  readonly connectTimeoutMs?: number;
}

/**
 * Connects, sends one request (RFC 7047 4.1, ovsdb-server(7) 4.1), and returns its result as parsed JSON. Nothing is
 * tried again.
 *
 * @throws OvsdbError `bad-remote`, `bad-tls`, `aborted`, `unreachable` when there is no answer, `refused` when the answer
 *   is an error.
 */
export async function requestOnce(
  remote: string,
  method: string,
  params: readonly unknown[],
  options: RequestOptions = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<unknown> {
  const [opened] = await openRemotes([remote], options.tls);
  if (opened === undefined) throw unreachable(remote, 'there is no remote');
  let connection: Connection | undefined;
  const onAbort = (): void => connection?.end('aborted');
  signal.addEventListener('abort', onAbort);
  try {
    const { socket } = await opened.connect(options.connectTimeoutMs ?? CONNECT_MS, signal);
    connection = new Connection({ socket, probeIntervalMs: PROBE_MS, onNotification: () => {} });
    const { result, error } = await connection.call(method, params);
    if (error === null || error === undefined) return result;
    throw new OvsdbError('refused', `${remote}: ${method}: ${errorText(error)}`, 'correct the request');
  } catch (error) {
    if (error instanceof OvsdbError) throw error;
    if (signal.aborted)
      throw new OvsdbError('aborted', 'the request was aborted', 'nothing: the caller asked for it', error);
    throw unreachable(remote, error instanceof Error ? error.message : String(error));
  } finally {
    signal.removeEventListener('abort', onAbort);
    connection?.end('done');
    await opened.close();
  }
}

/** The names of the databases that a server has, `_Server` among them (RFC 7047 4.1.1). @throws as `requestOnce`. */
export async function listDatabases(
  remote: string,
  options?: RequestOptions,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  return (await requestOnce(remote, 'list_dbs', [], options, signal)) as readonly string[];
}

/**
 * A database's schema as JSON (RFC 7047 4.1.2), for `parseSchema` or `generateTypes`.
 *
 * @throws OvsdbError `unknown-database`, and as `requestOnce`.
 */
export async function fetchSchema(
  remote: string,
  database: string,
  options?: RequestOptions,
  signal?: AbortSignal,
): Promise<unknown> {
  try {
    return await requestOnce(remote, 'get_schema', [database], options, signal);
  } catch (error) {
    if (error instanceof OvsdbError && error.code === 'refused' && error.message.includes('unknown database'))
      throw unknownDatabase(database);
    throw error;
  }
}

/** The error of a server that does not have the database. */
export function unknownDatabase(database: string): OvsdbError {
  return new OvsdbError(
    'unknown-database',
    `the server has no database ${database}`,
    'check the name and the remote: `ovsdb-client list-dbs REMOTE` lists what a server has',
  );
}

const CONNECT_MS = 10_000;
const PROBE_MS = 5000;

function unreachable(remote: string, reason: string): OvsdbError {
  return new OvsdbError(
    'unreachable',
    `${remote}: ${reason}`,
    'check the remote, and that a server is running there',
  );
}
