import { describe, expect, test } from 'vitest';
import { areDisjoint, waysToMatch } from '../../src/spec/match/ways-to-match.ts';
import { parseMatch } from '../../src/spec/match/parse-match.ts';
import { invariant } from '../../src/lib/invariant.ts';

function disjoint(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => {
    const parsed = parseMatch(text, { sets: new Set(['known']), groups: new Set(['known']) });
    invariant(parsed.ok, `${text} parses`);
    return waysToMatch(parsed.value);
  });
  invariant(a !== undefined && b !== undefined, 'there are two');
  expect(areDisjoint(b, a)).toBe(areDisjoint(a, b));
  return areDisjoint(a, b);
}

describe('no packet matches both of', () => {
  test.each([
    ['ip4.src == 10.0.1.0/24', 'ip4.src == 10.0.2.0/24'],
    ['ip4.src == 10.0.1.0/24', 'ip4.src != 10.0.0.0/16'],
    ['ip4.src == 10.0.1.0/24', '!(ip4.src == 10.0.1.0/24)'],
    ['ip4.src == {10.0.1.1, 10.0.1.2}', 'ip4.src == 10.0.1.3'],
    ['ip4.src == 10.0.1.7/24', 'ip4.src == 10.0.2.7/255.255.255.0'],
    ['10.0.0.1 <= ip4.src <= 10.0.0.9', 'ip4.src > 10.0.0.9'],
    ['!(10.0.0.1 <= ip4.src <= 10.0.0.9)', 'ip4.src == 10.0.0.9'],
    ['ip4', 'ip6'],
    ['ip4', 'ip6.dst != ::1'],
    ['tcp.dst == 80', 'udp.dst == 80'],
    ['tcp', 'ip.proto == 17'],
    ['icmp4.type == 8', 'icmp6.type == 128'],
    ['nd_ns', 'ip4'],
    ['arp', 'ip'],
    ['eth.type == 0x806', 'tcp'],
    ['inport == "a"', 'inport == {"b", "c"}'],
    ['inport == "a" && ip4', 'outport == "x" && inport == "b"'],
    ['ip4.src == 10.0.1.1 || ip4.src == 10.0.1.2', 'ip4.src == 10.0.1.3 || ip6'],
    ['!tcp.dst', 'tcp.dst == 80'],
    ['ct.new', '!ct.new'],
    ['tcp.dst < 0', 'tcp'],
    ['ip4 && ip6', 'tcp'],
  ])('%s and %s', (one, other) => {
    expect(disjoint(one, other)).toBe(true);
  });
});

describe('it cannot be shown that no packet matches both of', () => {
  test.each([
    ['ip4.src == 10.0.1.0/24', 'ip4.dst == 10.0.2.0/24'],
    ['ip4.src == 10.0.0.0/16', 'ip4.src == 10.0.1.0/24'],
    ['ip4.src != 10.0.1.0/24', 'ip4.src != 10.0.2.0/24'],
    ['ip4.src == 10.0.0.1/255.0.0.255', 'ip4.src == 10.0.0.2/255.0.0.255'],
    ['ip4.src[0..7] == 1', 'ip4.src[0..7] == 2'],
    ['ip4.src == $known', 'ip4.src == 10.0.0.1'],
    ['inport == @known', 'inport == "a"'],
    ['inport == "a"', 'outport == "b"'],
    ['ip', 'tcp'],
    ['icmp', 'icmp6'],
    ['1', 'ip4'],
    ['0', 'ip4'],
    ['is_chassis_resident("a")', '!is_chassis_resident("a")'],
    // Also packets that are no IP are no fragments, and no IPv4 multicast.
    ['!ip.is_frag', 'arp'],
    ['!ip4.mcast', 'ip6'],
    ['ip4.src == 10.0.1.0/24 || ip6', 'ip4.src == 10.0.2.0/24 || ip6'],
    ['tcp.dst == 80', '1 < tcp.dst < 90'],
  ])('%s and %s', (one, other) => {
    expect(disjoint(one, other)).toBe(false);
  });

  test('expressions that have too many ways to match', () => {
    expect(disjoint(expressionOfManyWays(1), expressionOfManyWays(2))).toBe(false);
  });
});

function expressionOfManyWays(octet: number): string {
  const parts = Array.from(
    { length: 12 },
    (_, n) => `(ip4.src == 10.${octet}.0.${n} || tcp.src < ${1000 + n})`,
  );
  return parts.join(' && ');
}
