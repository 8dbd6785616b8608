import type { Command, OptionSpec } from '../cli/command.ts';
import type { ServiceName } from './run-service.ts';
import { LISTEN_OPTION, LOCK_OPTION, SERVICE_OPTIONS } from './service-options.ts';
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
      env,
    ),
    serviceCommand(
      'worker',
      'Take units from the queue and write them to the Northbound, until stopped.',
      { ...SERVICE_OPTIONS, lock: LOCK_OPTION },
      env,
    ),
  ];
}

function serviceCommand(
  name: ServiceName,
  summary: string,
  options: Readonly<Record<string, OptionSpec>>,
  env: Env,
): Command {
  return {
    name,
    summary,
    positionals: [],
    options,
    exitCodes: ['0  stopped by SIGTERM or SIGINT', '1  could not start'],
    // Loaded only now: the other commands need neither queue nor log.
    run: async (input, parts) => (await import('./run-service.ts')).runService(name, input, env, parts),
  };
}
