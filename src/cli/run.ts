import { printable } from '../lib/printable.ts';
import type { Command, CommandInput } from './command.ts';
import { commandHelp, readInput } from './command.ts';
import { ALLOW } from './commands/allow.ts';
import { APPLY } from './commands/apply.ts';
import { DRIFT } from './commands/drift.ts';
import { DUMP } from './commands/dump.ts';
import { HISTORY } from './commands/history.ts';
import { LOCK } from './commands/lock.ts';
import { OVSDB_DIFF } from './commands/ovsdb-diff.ts';
import { OVSDB_DUMP } from './commands/ovsdb-dump.ts';
import { OVSDB_GENERATE } from './commands/ovsdb-generate.ts';
import { OVSDB_MONITOR } from './commands/ovsdb-monitor.ts';
import { OVSDB_TRANSACT } from './commands/ovsdb-transact.ts';
import { PLAN } from './commands/plan.ts';
import { RENDER } from './commands/render.ts';
import { STATUS } from './commands/status.ts';
import { VALIDATE } from './commands/validate.ts';
import { printFault } from './fault.ts';
import { type CliParts, READER_LEFT } from './parts.ts';

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
  OVSDB_DUMP,
  OVSDB_MONITOR,
  OVSDB_TRANSACT,
  OVSDB_DIFF,
  OVSDB_GENERATE,
];

/** What a shell reports for a program that Ctrl-C ended. */
const INTERRUPTED = 130;

/** Runs the program with its arguments and gives back its exit code. Usage errors end with 1 where the command says nothing else, an interrupt with 130. */
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
  const family = commands.filter((one) => one.name.startsWith(`${name} `));
  if (family.length > 0) return runFamily(family, args, env, parts);
  const command = commands.find((one) => one.name === name);
  if (command !== undefined) return runWords(command, rest, env, parts);
  err(`ovn-gitops: there is no command "${name}"; run "ovn-gitops --help"\n`);
  return 1;
}

/** Runs the command of a family that the second word names; without one it says what there is. */
async function runFamily(
  family: readonly Command[],
  [name = '', member, ...rest]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  parts: CliParts,
): Promise<number> {
  if (member === undefined || member === '--help' || member === '-h' || member === 'help') {
    parts.out(
      [`Usage: ovn-gitops ${name} COMMAND [ARGUMENTS] [OPTIONS]`, '', ...listed(family), ''].join('\n'),
    );
    return member === undefined ? 1 : 0;
  }
  const command = family.find((one) => one.name === `${name} ${member}`);
  if (command !== undefined) return runWords(command, rest, env, parts);
  parts.err(`ovn-gitops ${name}: there is no command "${member}"; run "ovn-gitops ${name} --help"\n`);
  return 1;
}

async function runWords(
  command: Command,
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  parts: CliParts,
): Promise<number> {
  if (words.includes('--help') || words.includes('-h')) {
    parts.out(commandHelp(command));
    return 0;
  }
  const input = readInput(command, words, env);
  if (!input.ok) {
    const program = `ovn-gitops ${command.name}`;
    const message = `${program}: ${input.error}; run "${program} --help"`;
    printFault(parts, { message }, wantsJson(command, words) ? 'json' : 'text');
    return command.usageCode ?? 1;
  }
  return runCommand(command, input.value, parts);
}

async function runCommand(command: Command, input: CommandInput, parts: CliParts): Promise<number> {
  try {
    return await command.run(input, parts);
  } catch (error) {
    if (!parts.signal.aborted) throw error;
    if (parts.signal.reason !== READER_LEFT)
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
  return [
    'ovn-gitops makes a Git repository the only way to change an OVN network.',
    '',
    'Usage: ovn-gitops COMMAND [ARGUMENTS] [OPTIONS]',
    '',
    'Commands:',
    ...listed(commands.filter((command) => !command.name.includes(' '))),
    '',
    'For any OVSDB database:',
    ...listed(commands.filter((command) => command.name.includes(' '))),
    '',
    'Each command explains itself with --help.',
    '',
  ].join('\n');
}

function listed(commands: readonly Command[]): readonly string[] {
  const width = Math.max(...commands.map((command) => command.name.length));
  return commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
}
