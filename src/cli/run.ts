import { printable } from '../lib/printable.ts';
import type { Command, CommandInput } from './command.ts';
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
import { printFault } from './fault.ts';
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

/** What a shell reports for a program that Ctrl-C ended. */
const INTERRUPTED = 130;

/** Runs the program with its arguments and gives back its exit code. Usage errors end with 1, an interrupt with 130. */
export async function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  version: string,
  given: CliParts,
): Promise<number> {
  // What comes from a commit or a database must not steer the terminal.
  const out = (text: string): void => given.out(printable(text));
  const err = (text: string): void => given.err(printable(text));
  const parts = { ...given, out, err };
  const commands = [...COMMANDS, ...parts.services];
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    out(overview(commands));
    return name === undefined ? 1 : 0;
  }
  if (name === '--version' || name === 'version') {
    out(`ovn-gitops ${version}\n`);
    return 0;
  }
  const command = commands.find((one) => one.name === name);
  if (command === undefined) {
    err(`ovn-gitops: there is no command "${name}"; run "ovn-gitops --help"\n`);
    return 1;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    out(commandHelp(command));
    return 0;
  }
  const input = readInput(command, rest, env);
  if (!input.ok) {
    const message = `ovn-gitops ${name}: ${input.error}; run "ovn-gitops ${name} --help"`;
    printFault(parts, { message }, wantsJson(command, rest) ? 'json' : 'text');
    return 1;
  }
  return runCommand(command, input.value, parts);
}

async function runCommand(command: Command, input: CommandInput, parts: CliParts): Promise<number> {
  try {
    return await command.run(input, parts);
  } catch (error) {
    if (!parts.signal.aborted) throw error;
    printFault(parts, { message: `ovn-gitops ${command.name}: interrupted` }, input.text('format'));
    return INTERRUPTED;
  }
}

/** True when arguments that could not be read ask for JSON all the same. */
function wantsJson(command: Command, args: readonly string[]): boolean {
  if (command.options['format'] === undefined) return false;
  return args.some((one, at) => one === '--format=json' || (one === '--format' && args[at + 1] === 'json'));
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
