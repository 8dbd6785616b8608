import { parseArgs } from 'node:util';
import type { Result } from '../lib/result.ts';
import { fail, ok } from '../lib/result.ts';
import type { CliParts } from './parts.ts';

/** An option of a command: `--name VALUE`, or a switch when it has no placeholder. */
export interface OptionSpec {
  readonly placeholder?: string;
  /** One letter that stands for the name: `-f`. */
  readonly short?: string;
  /** Whether it may be given more than once: see `CommandInput.texts`. */
  readonly isRepeatable?: true;
  readonly description: string;
  /** Environment variable that stands in for it. */
  readonly env?: string;
  readonly fallback?: string;
  /** The only values that are allowed. */
  readonly choices?: readonly string[];
  /** What is wrong with a value, as the end of a sentence; undefined when nothing is. */
  fault?(value: string): string | undefined;
}

/** A command of the program. */
export interface Command {
  /** One word, or two for a command of a family: `ovsdb dump`. */
  readonly name: string;
  readonly summary: string;
  /**
   * Positional arguments as they are shown in the usage line, e.g. `PATH`; a name in brackets may be left out, and
   * `[NAME...]` takes all that follow.
   */
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** What each exit code means. */
  readonly exitCodes: readonly string[];
  /** The exit code for a wrong option or argument, 1 when absent. */
  readonly usageCode?: number;
  run(input: CommandInput, parts: CliParts): Promise<number>;
}

/** What the user gave to a command. */
export interface CommandInput {
  readonly positionals: readonly string[];
  /** The option's value: given, from the environment, or its fallback. */
  text(name: string): string | undefined;
  /** A value that the option table guarantees. */
  required(name: string): string;
  /** All values of an option that may be repeated. */
  texts(name: string): readonly string[];
  isSet(name: string): boolean;
  /** True for what stands on the command line itself, not only in the environment. */
  isGiven(name: string): boolean;
}

/** `--format text|json`, the same in every command that prints data. */
export const FORMAT_OPTION: OptionSpec = {
  placeholder: 'FORMAT',
  description: 'how to print',
  fallback: 'text',
  choices: ['text', 'json'],
};

/** Reads the arguments of a command; all that is wrong with them is one sentence. */
export function readInput(
  command: Command,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Result<CommandInput, string> {
  const parsed = parse(command, args);
  if (!parsed.ok) return parsed;
  const { values, positionals } = parsed.value;
  const needed = command.positionals.filter((name) => !name.startsWith('[')).length;
  if (positionals.length < needed) {
    return fail(`${command.positionals.slice(positionals.length, needed).join(' ')} is missing`);
  }
  if (
    positionals.length > command.positionals.length &&
    command.positionals.at(-1)?.endsWith('...]') !== true
  ) {
    return fail(`"${positionals[command.positionals.length] ?? ''}" is one argument too many`);
  }
  const text = (name: string): string | undefined => {
    const given = values[name];
    const spec = command.options[name];
    const fromEnv = spec?.env === undefined ? undefined : env[spec.env];
    return typeof given === 'string' ? given : (fromEnv ?? spec?.fallback);
  };
  const texts = (name: string): readonly string[] => {
    const given = values[name];
    return Array.isArray(given) ? given : [];
  };
  for (const [name, spec] of Object.entries(command.options)) {
    const value = text(name);
    if (spec.choices !== undefined && value !== undefined && !spec.choices.includes(value)) {
      return fail(`--${name} is ${spec.choices.join(' or ')}, not "${value}"`);
    }
    for (const each of value === undefined ? texts(name) : [value]) {
      const fault = spec.fault?.(each);
      if (fault !== undefined) return fail(`--${name} "${each}" ${fault}`);
    }
  }
  return ok({
    positionals,
    text,
    texts,
    required: (name) => text(name) ?? '',
    isSet: (name) => values[name] === true,
    isGiven: (name) => values[name] !== undefined,
  });
}

/** The help of a command, as `--help` prints it. */
export function commandHelp(command: Command): string {
  const usage = ['ovn-gitops', command.name, ...command.positionals, '[OPTIONS]'].join(' ');
  const rows = Object.entries(command.options).map(([name, spec]) => {
    const long = spec.short === undefined ? `--${name}` : `-${spec.short}, --${name}`;
    const flag =
      spec.placeholder === undefined ? long : `${long} ${spec.choices?.join('|') ?? spec.placeholder}`;
    const notes = [
      spec.fallback === undefined || spec.fallback === '' ? '' : `default ${spec.fallback}`,
      spec.isRepeatable === true ? 'may be repeated' : '',
      spec.env === undefined ? '' : `env ${spec.env}`,
    ].filter((note) => note !== '');
    return [
      flag,
      notes.length === 0 ? spec.description : `${spec.description} (${notes.join(', ')})`,
    ] as const;
  });
  const width = Math.max(...rows.map(([flag]) => flag.length), '--help'.length);
  const lines = [...rows, ['--help', 'show this'] as const].map(
    ([flag, text]) => `  ${flag.padEnd(width)}  ${text}`,
  );
  const codes = command.exitCodes.map((code) => `  ${code}`);
  return [
    command.summary,
    '',
    `Usage: ${usage}`,
    '',
    'Options:',
    ...lines,
    '',
    'Exit codes:',
    ...codes,
    '',
  ].join('\n');
}

interface Parsed {
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly positionals: readonly string[];
}

function parse(command: Command, args: readonly string[]): Result<Parsed, string> {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, spec]) => [
      name,
      {
        type: spec.placeholder === undefined ? ('boolean' as const) : ('string' as const),
        ...(spec.short === undefined ? {} : { short: spec.short }),
        multiple: spec.isRepeatable === true,
      },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      strict: true,
    });
    return ok({ values: values as Parsed['values'], positionals });
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}
