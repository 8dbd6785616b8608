import type { Command } from './command.ts';
import { commandHelp, readInput } from './command.ts';
import { ALLOW } from './commands/allow.ts';
import { APPLY } from './commands/apply.ts';
import { DRIFT } from './commands/drift.ts';
import { DUMP } from './commands/dump.ts';
import { HISTORY } from './commands/history.ts';
import { LOCK } from './commands/lock.ts';
import { PLAN } from './commands/plan.ts';
import { RENDER } from './commands/render.ts';
import { STATUS } from './commands/status.ts';
import { VALIDATE } from './commands/validate.ts';
import type { CliParts } from './parts.ts';

/** The commands that look, plan and apply; those that run for a long time come from `parts.services`. */
const COMMANDS: readonly Command[] = [
  VALIDATE,
  RENDER,
  PLAN,
  APPLY,
  LOCK,
  STATUS,
  HISTORY,
  DRIFT,
  ALLOW,
  DUMP,
];

/** Runs the program with its arguments and gives back its exit code. Usage errors end with 1. */
export async function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  version: string,
  parts: CliParts,
): Promise<number> {
  const commands = [...COMMANDS, ...parts.services];
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    parts.out(overview(commands));
    return name === undefined ? 1 : 0;
  }
  if (name === '--version' || name === 'version') {
    parts.out(`ovn-gitops ${version}\n`);
    return 0;
  }
  const command = commands.find((one) => one.name === name);
  if (command === undefined) {
    parts.err(`ovn-gitops: there is no command "${name}"; run "ovn-gitops --help"\n`);
    return 1;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    parts.out(commandHelp(command));
    return 0;
  }
  const input = readInput(command, rest, env);
  if (!input.ok) {
    parts.err(`ovn-gitops ${name}: ${input.error}; run "ovn-gitops ${name} --help"\n`);
    return 1;
  }
  return command.run(input.value, parts);
}

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const lines = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return [
    'ovn-gitops makes a Git repository the only way to change an OVN network.',
    '',
    'Usage: ovn-gitops COMMAND [ARGUMENTS] [OPTIONS]',
    '',
    'Commands:',
    ...lines,
    '',
    'Each command explains itself with --help.',
    '',
  ].join('\n');
}
