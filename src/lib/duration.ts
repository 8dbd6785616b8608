import { fail, ok, type Result } from './result.ts';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Reads a whole number with the unit `s`, `m`, `h` or `d` and gives seconds. The error says what is wrong. */
export function parseDuration(text: string): Result<number, string> {
  const match = /^(0|[1-9][0-9]{0,8})([a-z]*)$/.exec(text);
  if (match === null) return fail('is not a duration such as 30s, 5m or 24h');
  const unit = SECONDS[match[2] ?? ''];
  if (unit === undefined) {
    return fail(
      match[2] === '' ? 'has no unit; write s, m, h or d' : `has the unit "${match[2]}"; write s, m, h or d`,
    );
  }
  return ok(Number(match[1]) * unit);
}
