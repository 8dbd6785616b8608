import type { CommandInput } from '../cli/command.ts';
import type { CliParts } from '../cli/parts.ts';
import { aborted } from './aborted.ts';
import { openLog } from './log.ts';
import { startController, startUnitWorker } from './service.ts';
import { readConfig } from './service-options.ts';

/** The services that run as processes of their own. */
export type ServiceName = 'controller' | 'worker';

const STARTS = { controller: startController, worker: startUnitWorker } as const;

/** Starts a service and waits for the signal to stop it. */
export async function runService(
  name: ServiceName,
  input: CommandInput,
  env: Readonly<Record<string, string | undefined>>,
  parts: Pick<CliParts, 'err' | 'signal'>,
): Promise<number> {
  const config = readConfig(input, env);
  if (!config.ok) {
    parts.err(`ovn-gitops ${name}: ${config.error}\n`);
    return 1;
  }
  const log = openLog(name);
  const service = await STARTS[name](config.value, log, parts.signal);
  if (!service.ok) {
    if (parts.signal.aborted) return 0;
    parts.err(`ovn-gitops ${name}: ${service.error}\n`);
    return 1;
  }
  log('started', {
    repo: config.value.repo.replace(/\/\/[^@/]*@/, '//'),
    owner: config.value.owner,
    page: service.value.page,
  });
  await aborted(parts.signal);
  await service.value.stop();
  log('stopped', {});
  return 0;
}
