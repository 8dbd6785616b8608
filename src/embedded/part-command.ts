import type { Programs } from './find-programs.ts';
import type { Layout } from './layout.ts';
import { type Part, programOf } from './part.ts';

/** How a part is run. */
export interface PartCommand {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** The command of a part: in the foreground, on unix sockets only, its log on standard output and error. */
export function partCommand(part: Part, layout: Layout, programs: Programs): PartCommand {
  const command = [...programs.dieWithParent, programs.path(programOf(part)), ...argumentsOf(part, layout)];
  return {
    program: command[0] ?? '',
    arguments: command.slice(1),
    environment: environment(layout),
  };
}

function argumentsOf(part: Part, layout: Layout): readonly string[] {
  switch (part) {
    case 'redis':
      return redisArguments(layout);
    case 'northbound':
    case 'southbound':
      return [
        ...LOG_TO_CONSOLE,
        `--remote=punix:${layout.socket[part]}`,
        `--unixctl=${layout.sockets}/${part}.ctl`,
        layout.database[part],
      ];
    case 'northd':
      return [
        ...LOG_TO_CONSOLE,
        `--ovnnb-db=unix:${layout.socket.northbound}`,
        `--ovnsb-db=unix:${layout.socket.southbound}`,
        `--unixctl=${layout.socket.northd}`,
      ];
  }
}

/** Open vSwitch's programs log to syslog unless told otherwise. */
const LOG_TO_CONSOLE = ['-vsyslog:off', '-vfile:off', '-vconsole:info'];

function redisArguments(layout: Layout): readonly string[] {
  const settings: Readonly<Record<string, string>> = {
    port: '0',
    unixsocket: layout.socket.redis,
    unixsocketperm: '700',
    dir: layout.redisData,
    appendonly: 'yes',
    // The append-only file is enough; snapshots would only cost forks.
    save: '',
    'maxmemory-policy': 'noeviction',
    daemonize: 'no',
    // The command line must stay as it is: it tells a leftover of ours from a stranger.
    'set-proc-title': 'no',
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

/** Keeps Open vSwitch and OVN away from the machine's own /var/run, /var/log, /etc and /var/lib (ovn-northd(8)). */
function environment({ directory, sockets }: Layout): Readonly<Record<string, string>> {
  const variables: Record<string, string> = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C' };
  for (const name of ['OVS', 'OVN']) {
    variables[`${name}_RUNDIR`] = sockets;
    variables[`${name}_LOGDIR`] = `${directory}/log`;
    variables[`${name}_DBDIR`] = directory;
    variables[`${name}_SYSCONFDIR`] = directory;
  }
  return variables;
}
