import { describe, expect, test } from 'vitest';
import { hostRangeOf, parseCidr } from '../../src/lib/cidr.ts';
import { countIntervals, mergeIntervals, subtractIntervals } from '../../src/lib/interval.ts';
import { parseIpRange, type IpRange } from '../../src/lib/ip-range.ts';

function read(text: string): IpRange {
  const parsed = parseIpRange(text);
  if (!parsed.ok) throw new Error(`${text} ${parsed.error}`);
  return parsed.value;
}
function free(cidr: string, taken: readonly string[]): bigint {
  const parsed = parseCidr(cidr);
  if (!parsed.ok) throw new Error(parsed.error);
  return countIntervals(subtractIntervals([hostRangeOf(parsed.value)], mergeIntervals(taken.map(read))));
}

describe('parseIpRange', () => {
  test('one address is a range of one', () => {
    expect(read('10.0.6.2')).toEqual(read('10.0.6.2..10.0.6.2'));
  });

  test.each([
    ['10.0.6.30..10.0.6.20', 'ends before it starts'],
    ['10.0.6.2..2001:db8::1', 'mixes IPv4 and IPv6'],
    ['10.0.6.2..10.0.6.5..10.0.6.9', 'has ".." more than once'],
    ['10.0.6.2-10.0.6.9', 'is not a range; ranges are written first..last'],
    ['10.0.6.010', 'has the octet "010" with a leading zero, which some read as octal'],
    ['', 'is empty'],
    ['10.0.6.2..', 'has the end "", which is empty'],
    ['10.0.6.2...9', 'has the end ".9", which is not an IP address'],
  ])('refuses %j: %s', (text, error) => {
    expect(parseIpRange(text)).toEqual({ ok: false, error });
  });
});

test('overlapping ranges are counted once, and a range may run past the last host', () => {
  expect(free('10.0.6.0/24', ['10.0.6.1', '10.0.6.2', '10.0.6.20..10.0.6.255', '10.0.6.20..10.0.6.30'])).toBe(
    17n,
  );
});

test('a /64 is counted exactly', () => {
  const taken = ['2001:db8:0:1::1', '2001:db8:0:1::2..2001:db8:0:1::ff'];
  expect(free('2001:db8:0:1::/64', taken)).toBe(18446744073709551360n);
  expect(free('2001:db8:0:1::/64', [...taken, '2001:db8:0:1::100'])).toBe(18446744073709551359n);
});
