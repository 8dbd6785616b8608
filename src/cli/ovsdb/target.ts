import { compareText } from '../../lib/order.ts';
import { type Result, fail, ok } from '../../lib/result.ts';
import { type Database, type DatabaseSchema, parseEndpoint, type WantedTables } from '../../ovsdb/index.ts';
import type { CommandInput, OptionSpec } from '../command.ts';
import { durationOption, readDuration } from '../duration-option.ts';
import type { Fault } from '../fault.ts';
import { TLS_OPTIONS, tlsFromInput } from '../nb-options.ts';
import type { CliParts, OvsdbAddress } from '../parts.ts';

/** What opening a server takes, the same in every command of the family. */
export const TARGET_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  timeout: durationOption('timeout', { description: 'how long to wait for the server', fallback: '15s' }),
  'leader-only': { description: 'take only the leader of a cluster: its answers are never old' },
  ...TLS_OPTIONS,
};

/** A database on a server, and the words of the command line that are left. */
export interface Target {
  readonly address: Omit<OvsdbAddress, 'tables'>;
  readonly schema: DatabaseSchema;
  readonly rest: readonly string[];
}

/** Whether a word of the command line means a server, not a file. */
export function isEndpoint(word: string): boolean {
  return /^p?(?:unix|tcp|ssl):/.test(word);
}

/**
 * Finds the database that the words after the endpoint mean: the first of them when it is one of the server's, otherwise
 * the only one beside `_Server`.
 */
export async function findTarget(
  input: CommandInput,
  parts: CliParts,
  endpoint: string,
  words: readonly string[],
): Promise<Result<Target, Fault>> {
  const server = readServer(input, endpoint);
  if (!server.ok) return fail({ message: server.error });
  const databases = await listDatabases(parts, server.value);
  if (!databases.ok) return databases;
  const chosen = chooseDatabase(endpoint, databases.value, words);
  if (!chosen.ok) return chosen;
  const address = { ...server.value, database: chosen.value.database };
  const opened = await parts.openOvsdb({ ...address, tables: {} });
  if (!opened.ok) return opened;
  const { schema } = opened.value;
  await opened.value.close();
  return ok({ address, schema, rest: chosen.value.rest });
}

/** Opens the target with some of its tables in the replica. */
export async function openTarget(
  parts: CliParts,
  { address }: Target,
  tables: WantedTables,
  log?: OvsdbAddress['log'],
): Promise<Result<Database, Fault>> {
  return parts.openOvsdb({ ...address, isAnswering: true, tables, ...(log === undefined ? {} : { log }) });
}

type Server = Omit<OvsdbAddress, 'database' | 'tables'>;

function readServer(input: CommandInput, endpoint: string): Result<Server, string> {
  const remotes = endpoint.split(',').map((one) => one.trim());
  const parsed = remotes.map(parseEndpoint);
  const faults = parsed.flatMap((one) => (one.ok ? [] : [one.error]));
  if (faults.length > 0) return fail(faults.join('; '));
  const tls = tlsFromInput(input);
  if (!tls.ok) return tls;
  if (tls.value === undefined && parsed.some((one) => one.ok && one.value.kind.endsWith('ssl')))
    return fail('ssl: needs all three of --ca, --cert and --key');
  return ok({
    endpoint: remotes.join(','),
    tls: tls.value,
    timeoutMs: readDuration(input, 'timeout'),
    leaderOnly: input.isSet('leader-only'),
  });
}

/** The names of the server's databases; undefined for a server that has no `_Server` to ask (before 2.9). */
async function listDatabases(
  parts: CliParts,
  server: Server,
): Promise<Result<readonly string[] | undefined, Fault>> {
  const address = { ...server, database: '_Server', tables: { Database: ['name'] }, leaderOnly: false };
  const opened = await parts.openOvsdb(address);
  if (!opened.ok) return opened.error.code === 'unknown-database' ? ok(undefined) : opened;
  const names = [...opened.value.rows('Database').values()].map((row) => row['name'] as string);
  await opened.value.close();
  return ok(names.toSorted(compareText));
}

function chooseDatabase(
  endpoint: string,
  names: readonly string[] | undefined,
  words: readonly string[],
): Result<{ readonly database: string; readonly rest: readonly string[] }, Fault> {
  const [first, ...rest] = words;
  if (first !== undefined && (names === undefined || names.includes(first)))
    return ok({ database: first, rest });
  const own = (names ?? []).filter((name) => name !== '_Server');
  if (own.length === 1) return ok({ database: own[0] ?? '', rest: words });
  const served = names === undefined ? '' : `: it serves ${names.join(', ')}`;
  const message =
    first === undefined
      ? `say which database of ${endpoint} you mean${served}`
      : `${endpoint} has no database "${first}"${served}`;
  return fail({ message, hint: 'name the database after the endpoint' });
}
