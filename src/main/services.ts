import type { Command, CommandInput, OptionSpec } from '../cli/command.ts';
import type { CliParts } from '../cli/parts.ts';
import type { Result } from '../lib/result.ts';
import { openLog } from './log.ts';
import type { Log, Service } from './service.ts';
import { startController, startUnitWorker } from './service.ts';
import type { ServiceConfig } from './service-options.ts';
import { LISTEN_OPTION, readConfig, SERVICE_OPTIONS } from './service-options.ts';
import { upCommand } from './up.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The commands that run until they are told to stop. */
export function SERVICES(env: Env): readonly Command[] {
  return [
    upCommand(env),
    serviceCommand(
      'controller',
      'Follow the repository and watch the Northbound, until stopped.',
      { ...SERVICE_OPTIONS, listen: LISTEN_OPTION },
      startController,
      env,
    ),
    serviceCommand(
      'worker',
      'Take units from the queue and write them to the Northbound, until stopped.',
      SERVICE_OPTIONS,
      startUnitWorker,
      env,
    ),
  ];
}

function serviceCommand(
  name: string,
  summary: string,
  options: Readonly<Record<string, OptionSpec>>,
  start: (config: ServiceConfig, log: Log, signal: AbortSignal) => Promise<Result<Service, string>>,
  env: Env,
): Command {
  return {
    name,
    summary,
    positionals: [],
    options,
    exitCodes: ['0  stopped by SIGTERM or SIGINT', '1  could not start'],
    run: (input, parts) => runService(name, input, env, parts, start),
  };
}

/** Starts a service and waits for the signal to stop it. */
async function runService(
  name: string,
  input: CommandInput,
  env: Env,
  parts: Pick<CliParts, 'err' | 'signal'>,
  start: (config: ServiceConfig, log: Log, signal: AbortSignal) => Promise<Result<Service, string>>,
): Promise<number> {
  const config = readConfig(input, env);
  if (!config.ok) {
    parts.err(`ovn-gitops ${name}: ${config.error}\n`);
    return 1;
  }
  const log = openLog(undefined, name);
  const service = await start(config.value, log, parts.signal);
  if (!service.ok) {
    parts.err(`ovn-gitops ${name}: ${service.error}\n`);
    return 1;
  }
  log('started', {
    repo: config.value.repo.replace(/\/\/[^@/]*@/, '//'),
    owner: config.value.owner,
    page: service.value.page,
  });
  await new Promise<void>((resolve) => {
    if (parts.signal.aborted) resolve();
    parts.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await service.value.stop();
  log('stopped', {});
  return 0;
}
