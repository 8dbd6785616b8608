import type { CommandInput, OptionSpec } from './command.ts';
import { printFault } from './fault.ts';
import { OWNER_OPTION } from './nb-options.ts';
import type { CliParts, OpenStore } from './parts.ts';

/** Which servers with TLS are trusted to be Redis. */
export const REDIS_CA_OPTION: OptionSpec = {
  placeholder: 'FILE',
  description: "CA certificate for rediss: addresses, instead of the system's",
  env: 'OVN_GITOPS_REDIS_CA',
};

/** Where a running installation keeps its status. */
export const STORE_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  state: {
    placeholder: 'DIR',
    description: 'state directory of "ovn-gitops up"',
    env: 'OVN_GITOPS_STATE',
    fallback: '.ovn-gitops',
  },
  redis: {
    placeholder: 'URL',
    description: 'Redis of the installation, instead of the state directory',
    env: 'OVN_GITOPS_REDIS',
  },
  'redis-ca': REDIS_CA_OPTION,
  owner: OWNER_OPTION,
};

/** Opens the status store that the command line names, runs `use`, and closes it. Prints what went wrong and gives 1. */
export async function withStore(
  input: CommandInput,
  parts: CliParts,
  use: (store: OpenStore['store']) => Promise<number>,
): Promise<number> {
  const opened = await parts.openStore({
    redis: input.text('redis'),
    redisCa: input.text('redis-ca'),
    state: input.required('state'),
    owner: input.required('owner'),
  });
  const format = input.text('format');
  if (!opened.ok) {
    printFault(parts, opened.error, format);
    return 1;
  }
  try {
    return await use(opened.value.store);
  } catch (error) {
    const fault = opened.value.explain(error);
    if (fault === undefined) throw error;
    printFault(parts, fault, format);
    return 1;
  } finally {
    await opened.value.close();
  }
}
