import { parseDuration } from '../lib/duration.ts';
import { invariant } from '../lib/invariant.ts';
import type { CommandInput, OptionSpec } from './command.ts';

/** The shortest and the longest value of each option that is a duration. Timers of Node hold 24 days at most. */
const BOUNDS = {
  timeout: ['1s', '1h'],
  interval: ['1s', '24h'],
  compare: ['10s', '7d'],
  gather: ['0s', '1h'],
  lock: ['1s', '1h'],
  for: ['1s', '24d'],
} as const;

/** The name of an option that is a duration. */
export type DurationOption = keyof typeof BOUNDS;

/** An option that is a duration within its bounds, which its description names. */
export function durationOption(
  name: DurationOption,
  spec: Pick<OptionSpec, 'description' | 'env' | 'fallback'>,
): OptionSpec {
  const [shortest, longest] = BOUNDS[name];
  return {
    ...spec,
    placeholder: 'DURATION',
    description: `${spec.description}, ${shortest} to ${longest}`,
    fault: (text) => {
      const seconds = parseDuration(text);
      if (!seconds.ok) return seconds.error;
      const isWithin = seconds.value >= secondsOf(shortest) && seconds.value <= secondsOf(longest);
      return isWithin ? undefined : `is not within ${shortest} and ${longest}`;
    },
  };
}

/** The value of such an option, ms; `readInput` has checked it. */
export function readDuration(input: CommandInput, name: DurationOption): number {
  return secondsOf(input.required(name)) * 1000;
}

function secondsOf(text: string): number {
  const seconds = parseDuration(text);
  invariant(seconds.ok, `"${text}" was not checked`);
  return seconds.value;
}
