import type { CommandInput, OptionSpec } from './command.ts';
import type { CliParts } from './parts.ts';

/** How many entries of a list to print. */
export const LIMIT_OPTION: OptionSpec = {
  placeholder: 'N',
  description: 'print at most so many, the newest first',
  fallback: '20',
};

/** Reads --limit; prints what is wrong with it and gives undefined. */
export function readLimit(input: CommandInput, parts: CliParts): number | undefined {
  const text = input.required('limit');
  if (/^[1-9][0-9]{0,5}$/.test(text)) return Number(text);
  parts.err(`--limit is a number from 1 to 999999, not "${text}"\n`);
  return undefined;
}
