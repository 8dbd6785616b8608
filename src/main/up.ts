import type { Command } from '../cli/command.ts';
import { OWNER_OPTION } from '../cli/nb-options.ts';
import { LISTEN_OPTION, SOURCE_OPTIONS } from './service-options.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** `ovn-gitops up [REPO]`: everything on one machine, in one process with the servers as its children. */
export function upCommand(env: Env): Command {
  return {
    name: 'up',
    summary: 'Run everything on this machine: Redis, OVN databases, northd, controller, workers, page.',
    positionals: ['[REPO]'],
    options: {
      ...SOURCE_OPTIONS,
      // A repository on this machine is quickly looked at, and somebody sits before it.
      interval: {
        ...SOURCE_OPTIONS['interval'],
        description: 'how often to look at the repository',
        fallback: '2s',
      },
      state: {
        placeholder: 'DIR',
        description: 'directory for databases, our copy of the repository, and logs; kept between runs',
        env: 'OVN_GITOPS_STATE',
        fallback: '.ovn-gitops',
      },
      listen: { ...LISTEN_OPTION, fallback: '127.0.0.1:0' },
      owner: OWNER_OPTION,
    },
    exitCodes: ['0  stopped by SIGTERM or SIGINT', '1  could not start'],
    // Loaded only now: the other commands need none of the servers' code.
    run: async (input, parts) => (await import('./run-up.ts')).runUp(input, env, parts),
  };
}
