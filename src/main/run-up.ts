import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CommandInput } from '../cli/command.ts';
import type { CliParts } from '../cli/parts.ts';
import type { Embedded } from '../embedded/start-embedded.ts';
import { startEmbedded } from '../embedded/start-embedded.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import { aborted } from './aborted.ts';
import { endpointsFile, type Endpoints } from './endpoints-file.ts';
import { copyExamples } from './example-repository.ts';
import { type Log, openFileLog } from './log.ts';
import { startController, startUnitWorker } from './service.ts';
import { readConfig, type ServiceConfig } from './service-options.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Runs `up` until `parts.signal` fires and gives back the exit code. */
export async function runUp(input: CommandInput, env: Env, parts: CliParts): Promise<number> {
  const running = await startAll(input, env, parts);
  if (!running.ok) {
    if (parts.signal.aborted) return 0;
    parts.err(`ovn-gitops up: ${running.error}\n`);
    return 1;
  }
  await aborted(parts.signal);
  parts.out('stopping\n');
  await running.value.stop();
  return 0;
}

interface Running {
  stop(): Promise<void>;
}

async function startAll(input: CommandInput, env: Env, parts: CliParts): Promise<Result<Running, string>> {
  const state = path.resolve(input.required('state'));
  // Where the servers will be is known once they run; the rest is checked before anything is started.
  const config = readConfig(input, env, { repo: '', redis: '', northbound: [], southbound: [] });
  if (!config.ok) return config;
  const log = openFileLog(path.join(state, 'ovn-gitops.log'), 'up', parts.err);
  const embedded = await startEmbedded(
    {
      directory: state,
      log,
      onExit: (part, { reason, code, signal }) =>
        parts.err(`${part} ended (${reason ?? String(code ?? signal)}) and is started again\n`),
    },
    parts.signal,
  );
  if (!embedded.ok) return fail(`${embedded.error.message}; ${embedded.error.hint}`);
  const stops: (() => Promise<void>)[] = [() => embedded.value.stop()];
  const stop = async (): Promise<void> => {
    await rm(endpointsFile(state), { force: true });
    for (const one of stops.toReversed()) await one();
  };
  const started = await orSentence(() =>
    startServices(input, { ...config.value, state }, embedded.value, { log, parts, stops }),
  );
  if (started.ok) return ok({ stop });
  await stop();
  return started;
}

/** What the system refuses (a full disk, a file that may not be read) is a sentence; bugs stay exceptions. */
async function orSentence<T>(work: () => Promise<Result<T, string>>): Promise<Result<T, string>> {
  try {
    return await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return fail((error as Error).message);
  }
}

async function startServices(
  input: CommandInput,
  config: ServiceConfig,
  embedded: Embedded,
  {
    log,
    parts,
    stops,
  }: { readonly log: Log; readonly parts: CliParts; readonly stops: (() => Promise<void>)[] },
): Promise<Result<undefined, string>> {
  const { state } = config;
  const given = input.positionals[0];
  const repo = given === undefined ? await copyExamples(path.join(state, 'repository')) : absolute(given);
  const services = {
    ...config,
    repo,
    redis: embedded.redis.path,
    northbound: [embedded.northbound],
    southbound: [embedded.southbound],
  };
  const worker = await startUnitWorker(services, log, parts.signal);
  if (!worker.ok) return worker;
  stops.push(() => worker.value.stop());
  await writeFile(path.join(state, '.gitignore'), '*\n');
  const controller = await startController(services, telling(log, parts), parts.signal);
  if (!controller.ok) return controller;
  stops.push(() => controller.value.stop());
  const page = controller.value.page ?? '';
  await announce(embedded, { repository: repo, page, state }, input, parts);
  return ok(undefined);
}

/** Somebody sits before `up`: what becomes of the repository is said on the terminal too. */
function telling(log: Log, parts: CliParts): Log {
  return (event, fields) => {
    log(event, fields);
    if (event !== 'source') return;
    const text = `${String(fields['condition'])} ${String(fields['reason'])}: ${String(fields['message'])}\n`;
    (fields['condition'] === 'Ready' ? parts.out : parts.err)(text);
  };
}

async function announce(
  embedded: Embedded,
  places: { readonly repository: string; readonly page: string; readonly state: string },
  input: CommandInput,
  parts: CliParts,
): Promise<void> {
  const { repository, page, state } = places;
  const found: Endpoints = {
    redis: embedded.redis.path,
    northbound: embedded.northbound,
    southbound: embedded.southbound,
    repository,
    owner: input.required('owner'),
    page,
  };
  await writePrivate(endpointsFile(state), `${JSON.stringify(found, undefined, 2)}\n`);
  const flag = input.required('state') === '.ovn-gitops' ? '' : ` --state ${input.required('state')}`;
  parts.out(
    [
      `page        ${page}`,
      `repository  ${repository}  (looked at every ${input.required('interval')}: commit or push there and see it land)`,
      `northbound  ${embedded.northbound}`,
      `southbound  ${embedded.southbound}`,
      `log         ${path.join(state, 'ovn-gitops.log')}`,
      '',
      `ovn-gitops status${flag}    which commit is in force, and how far each unit has got`,
      `ovn-gitops drift${flag}     what was changed by hand and put right`,
      'Ctrl-C stops everything; the state stays for the next time.',
      '',
    ].join('\n'),
  );
}

/** A path as it is from anywhere; a URL stays. */
function absolute(repository: string): string {
  return repository.includes('://') ? repository : path.resolve(repository);
}

/** Only this user may read it, whoever made a file of that name before; readers see it whole or not at all. */
async function writePrivate(file: string, text: string): Promise<void> {
  const unfinished = `${file}.new`;
  await rm(unfinished, { force: true });
  await writeFile(unfinished, text, { mode: 0o600, flag: 'wx' });
  await rename(unfinished, file);
}
