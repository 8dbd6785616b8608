import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CommandInput } from '../cli/command.ts';
import type { CliParts } from '../cli/parts.ts';
import type { Embedded } from '../embedded/start-embedded.ts';
import { startEmbedded } from '../embedded/start-embedded.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import { aborted } from './aborted.ts';
import { endpointsFile, type Endpoints } from './endpoints-file.ts';
import { copyExamples } from './example-repository.ts';
import { type Log, openLog } from './log.ts';
import { startController, startUnitWorker } from './service.ts';
import { readConfig } from './service-options.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Runs `up` until `parts.signal` fires and gives back the exit code. */
export async function runUp(input: CommandInput, env: Env, parts: CliParts): Promise<number> {
  const state = path.resolve(input.required('state'));
  const log = openLog(path.join(state, 'ovn-gitops.log'), 'up');
  const running = await startAll(input, env, state, log, parts);
  if (!running.ok) {
    parts.err(`ovn-gitops up: ${running.error}\n`);
    return 1;
  }
  await aborted(parts.signal);
  parts.out('stopping\n');
  await running.value.stop();
  return 0;
}

async function startAll(
  input: CommandInput,
  env: Env,
  state: string,
  log: Log,
  parts: CliParts,
): Promise<Result<{ stop(): Promise<void> }, string>> {
  await mkdir(state, { recursive: true, mode: 0o700 });
  const embedded = await startEmbedded(
    {
      directory: state,
      log,
      onExit: (part, exit) =>
        parts.err(`${part} ended by itself (${String(exit.code ?? exit.signal)}) and is started again\n`),
    },
    parts.signal,
  );
  if (!embedded.ok) return fail(`${embedded.error.message}; ${embedded.error.hint}`);
  const stops: (() => Promise<void>)[] = [() => embedded.value.stop()];
  const stop = async (): Promise<void> => {
    await rm(endpointsFile(state), { force: true });
    for (const one of stops.toReversed()) await one();
  };
  const giveUp = async (reason: string): Promise<Result<never, string>> => {
    await stop();
    return fail(reason);
  };
  const given = input.positionals[0];
  const repository =
    given === undefined ? await copyExamples(path.join(state, 'repository')) : absolute(given);
  const config = readConfig(input, env, {
    repo: repository,
    redis: embedded.value.redis.path,
    northbound: [embedded.value.northbound],
    southbound: [embedded.value.southbound],
  });
  if (!config.ok) return giveUp(config.error);
  const services = { ...config.value, state };
  const worker = await startUnitWorker(services, log, parts.signal);
  if (!worker.ok) return giveUp(worker.error);
  stops.push(() => worker.value.stop());
  const controller = await startController(services, log, parts.signal);
  if (!controller.ok) return giveUp(controller.error);
  stops.push(() => controller.value.stop());
  const page = controller.value.page ?? '';
  await announce(embedded.value, { repository, page, state }, input, parts);
  return ok({ stop });
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
  await writeFile(endpointsFile(state), `${JSON.stringify(found, undefined, 2)}\n`);
  const flag = input.required('state') === '.ovn-gitops' ? '' : ` --state ${input.required('state')}`;
  parts.out(
    [
      `page        ${page}`,
      `repository  ${repository}  (commit there and see it land)`,
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
