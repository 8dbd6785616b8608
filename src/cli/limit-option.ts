import type { CommandInput, OptionSpec } from './command.ts';

/** How many entries of a list to print. */
export const LIMIT_OPTION: OptionSpec = {
  placeholder: 'N',
  description: 'print at most so many, the newest first',
  fallback: '20',
  fault: (text) => (/^[1-9][0-9]{0,5}$/.test(text) ? undefined : 'is not a number from 1 to 999999'),
};

/** The value of --limit; `readInput` has checked it. */
export function readLimit(input: CommandInput): number {
  return Number(input.required('limit'));
}
