import type { Family } from './ip.ts';
import { parseIp } from './ip.ts';
import { fail, ok, type Result } from './result.ts';

/** An inclusive range of addresses of one family; usable wherever an `Interval` is. */
export interface IpRange {
  readonly family: Family;
  readonly first: bigint;
  readonly last: bigint;
}

/** Reads `a` or `a..b`, both ends included, both of one family, in order. The error says what is wrong. */
export function parseIpRange(text: string): Result<IpRange, string> {
  const ends = text.split('..');
  if (ends.length > 2) return fail('has ".." more than once');
  const first = parseIp(ends[0] ?? '');
  if (!first.ok) return fail(explain(text, ends[0] ?? '', first.error));
  if (ends.length === 1)
    return ok({ family: first.value.family, first: first.value.value, last: first.value.value });
  const last = parseIp(ends[1] ?? '');
  if (!last.ok) return fail(explain(text, ends[1] ?? '', last.error));
  if (first.value.family !== last.value.family) return fail('mixes IPv4 and IPv6');
  if (first.value.value > last.value.value) return fail('ends before it starts');
  return ok({ family: first.value.family, first: first.value.value, last: last.value.value });
}

function explain(text: string, end: string, error: string): string {
  if (end !== '' && /^[^-]+-[^-]+$/.test(end)) return 'is not a range; ranges are written first..last';
  return text === end ? error : `has the end "${end}", which ${error}`;
}
