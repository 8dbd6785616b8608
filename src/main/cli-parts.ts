import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text as streamText } from 'node:stream/consumers';
import type { Fault } from '../cli/fault.ts';
import type { CliParts, FilesOf, OpenStore, OvsdbAddress, OvsdbFault, StoreAddress } from '../cli/parts.ts';
import type { Result } from '../lib/result.ts';
import { fail, ok } from '../lib/result.ts';
import { type Database, type DatabaseOptions, openDatabase, OvsdbError } from '../ovsdb/index.ts';
import type { CanonicalDump } from '../plan/canonical-dump.ts';
import { canonicalDump } from '../plan/canonical-dump.ts';
import type { Northbound } from '../reconcile/northbound.ts';
import type { SourceProblem } from '../reconcile/revision-source.ts';
import { readEndpoints } from './endpoints-file.ts';
import { openNb } from './open-nb.ts';
import { readRedis } from './read-redis.ts';
import { endpoints } from './service-options.ts';
import { SERVICES } from './services.ts';

/** The real parts of the command line. */
export function cliParts(
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
  allowReaderToLeave: () => void = () => {},
): CliParts {
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    write: (text) => writeOut(text, signal),
    hasColor: process.stdout.isTTY && env['NO_COLOR'] === undefined && env['TERM'] !== 'dumb',
    allowReaderToLeave,
    signal,
    clock: Date.now,
    readFiles,
    readText,
    writeFile: (file, text) => writeFile(file, text),
    openNorthbound: (endpoint, options) => openForCommand(endpoint, options, signal),
    dumpNorthbound: (endpoint, options) => dumpNorthbound(endpoint, options, signal),
    openOvsdb: (address) => openOvsdb(address, signal),
    openStore: (address) => openStore(address, signal),
    services: SERVICES(env),
  };
}

async function readFiles(
  directory: string,
  revision: string | undefined,
): Promise<Result<FilesOf, SourceProblem>> {
  if (revision === undefined) return readPlainFiles(directory);
  const { openLocal } = await import('../git/open-local.ts');
  const local = await openLocal(directory);
  if (!local.ok) return local;
  const found = await local.value.revision(revision);
  if (!found.ok) return found;
  const files = await local.value.files(revision, local.value.prefix);
  return files.ok ? ok({ revision: found.value, files: files.value }) : files;
}

/** Files outside of a commit are named by their content, so that applying them twice is applying one revision. */
async function readPlainFiles(directory: string): Promise<Result<FilesOf, SourceProblem>> {
  const { readWorkTree } = await import('../git/work-tree.ts');
  const files = await readWorkTree(directory);
  if (!files.ok) return files;
  const hash = createHash('sha256');
  for (const file of files.value) hash.update(`${file.path} ${file.oid}\n`);
  const commit = `tree:${hash.digest('hex').slice(0, 40)}`;
  const author = { name: 'files', email: '', at: Date.now() };
  return ok({
    revision: { commit, author, subject: `files of ${path.basename(path.resolve(directory))}` },
    files: files.value,
  });
}

/** Waits until the pipe behind standard output takes more; `signal` fires when it is closed. */
async function writeOut(text: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (!process.stdout.write(text)) await once(process.stdout, 'drain', { signal });
}

async function readText(file: string): Promise<Result<string, string>> {
  try {
    return ok(file === '-' ? await streamText(process.stdin) : await readFile(file, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return fail(`${file} does not exist`);
    if (code === 'EISDIR') return fail(`${file} is a folder`);
    return fail(`${file} cannot be read: ${message}`);
  }
}

async function openOvsdb(address: OvsdbAddress, signal: AbortSignal): Promise<Result<Database, OvsdbFault>> {
  const { endpoint, timeoutMs, isAnswering, tls, log, ...options } = address;
  const remotes = endpoints(endpoint) ?? [];
  const timeout = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let isOpening = true;
  const startTimer = (): void => {
    if (isOpening) timer ??= setTimeout(() => timeout.abort(), timeoutMs);
  };
  if (isAnswering !== true) startTimer();
  let lastReason = '';
  const note: DatabaseOptions['log'] = (event, fields) => {
    if (event === 'disconnected') startTimer();
    lastReason = typeof fields['reason'] === 'string' ? `: ${fields['reason']}` : '';
    log?.(event, fields);
  };
  try {
    const given = { ...options, remotes, log: note, ...(tls === undefined ? {} : { tls }) };
    return ok(await openDatabase(given, AbortSignal.any([signal, timeout.signal])));
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.signal.aborted) {
      return fail({
        message: `no server answered at ${endpoint} within ${timeoutMs / 1000} s${lastReason}`,
        hint: 'check that ovsdb-server listens there',
      });
    }
    if (error instanceof OvsdbError)
      return fail({ message: error.message, hint: error.advice, code: error.code });
    throw error;
  } finally {
    isOpening = false;
    clearTimeout(timer);
  }
}

async function openForCommand(
  endpoint: string,
  options: Parameters<CliParts['openNorthbound']>[1],
  signal: AbortSignal,
): Promise<Result<Northbound, string>> {
  const { owner, tls } = options;
  const northbound = endpoints(endpoint) ?? [];
  return withinTime(endpoint, options.timeoutMs, signal, (deadline) =>
    openNb({ northbound, southbound: undefined, owner, tls }, () => {}, deadline),
  );
}

async function dumpNorthbound(
  endpoint: string,
  options: Parameters<CliParts['dumpNorthbound']>[1],
  signal: AbortSignal,
): Promise<Result<CanonicalDump, string>> {
  const tls = options.tls === undefined ? {} : { tls: options.tls };
  const address = { remotes: endpoints(endpoint) ?? [], database: 'OVN_Northbound', ...tls };
  const opened = await withinTime(endpoint, options.timeoutMs, signal, (deadline) =>
    openDatabase(address, deadline),
  );
  if (!opened.ok) return opened;
  const database = opened.value;
  try {
    return ok(canonicalDump(database.schema, (table) => database.rows(table).values()));
  } finally {
    await database.close();
  }
}

/** Opens a database; one that does not answer in time is an error that says so. Rejects when `signal` fires. */
async function withinTime<T>(
  endpoint: string,
  timeoutMs: number,
  signal: AbortSignal,
  open: (deadline: AbortSignal) => Promise<T>,
): Promise<Result<T, string>> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return ok(await open(AbortSignal.any([signal, timeout])));
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) {
      return fail(
        `no Northbound answered at ${endpoint} within ${timeoutMs / 1000} s; check that ovsdb-server listens there`,
      );
    }
    if (error instanceof OvsdbError) return fail(`${error.message}; ${error.advice}`);
    throw error;
  }
}

async function openStore(address: StoreAddress, signal: AbortSignal): Promise<Result<OpenStore, Fault>> {
  let { redis: url, redisCa: caFile, owner } = address;
  if (url === undefined) {
    const found = await readEndpoints(address.state, (file) => readFile(file, 'utf8'));
    if (!found.ok) return fail({ message: found.error });
    ({ redis: url, owner } = found.value);
    caFile = undefined;
  }
  const redis = await readRedis(url, caFile);
  if (!redis.ok) return fail({ message: redis.error });
  const { openStatusStore } = await import('../queue/status-store.ts');
  const { QueueFailure } = await import('../queue/queue-error.ts');
  const store = await openStatusStore({ redis: redis.value, owner, log: () => {} }, signal);
  signal.throwIfAborted();
  if (!store.ok) return store;
  return ok({
    store: store.value,
    explain: (error) => (error instanceof QueueFailure ? error.error : undefined),
    close: () => store.value.close(),
  });
}
