import { fc, test as check } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import {
  cidrContains,
  cidrCovers,
  cidrsOfRange,
  cidrsOverlap,
  complementCidrs,
  formatCidr,
  formatInterface,
  hostRangeOf,
  isBroadcastAddress,
  isNetworkAddress,
  lastAddress,
  networkOf,
  parseCidr,
  parseInterface,
  rangeOf,
  type Cidr,
} from '../../src/lib/cidr.ts';
import { countIntervals, mergeIntervals } from '../../src/lib/interval.ts';
import { formatIp, parseIp, type Ip } from '../../src/lib/ip.ts';

const anyV4 = fc
  .tuple(fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }), fc.integer({ min: 0, max: 32 }))
  .map(([value, prefix]) => networkOf({ family: 4, value }, prefix));
const anyV6 = fc
  .tuple(fc.bigInt({ min: 1n << 100n, max: (1n << 128n) - 1n }), fc.integer({ min: 0, max: 128 }))
  .map(([value, prefix]) => networkOf({ family: 6, value }, prefix));

function read(text: string): Cidr {
  const parsed = parseCidr(text);
  if (!parsed.ok) throw new Error(`${text} ${parsed.error}`);
  return parsed.value;
}
function ip(text: string): Ip {
  const parsed = parseIp(text);
  if (!parsed.ok) throw new Error(`${text} ${parsed.error}`);
  return parsed.value;
}

describe('parseCidr', () => {
  check.prop([fc.oneof(anyV4, anyV6)])('reads back what formatCidr wrote', (cidr) => {
    expect(read(formatCidr(cidr))).toEqual(cidr);
  });

  test.each([
    ['192.0.2.7/24', 'has host bits set; the network is 192.0.2.0/24'],
    ['192.0.2.0', 'has no prefix length'],
    ['192.0.2.0/33', 'has the prefix length 33, which is more than 32'],
    ['2001:db8::/129', 'has the prefix length 129, which is more than 128'],
    ['192.0.2.0/024', 'has the prefix length "024", which is not a number'],
    ['192.0.2.0/', 'has the prefix length "", which is not a number'],
    ['192.0.2.0/255.255.255.0', 'has the prefix length "255.255.255.0", which is not a number'],
    ['', 'is empty'],
    ['web', 'is not an IP address'],
  ])('refuses %j: %s', (text, error) => {
    expect(parseCidr(text)).toEqual({ ok: false, error });
  });
});

test('an interface keeps its host bits and knows its network', () => {
  const parsed = parseInterface('2001:DB8::7/64');
  expect(parsed.ok && formatInterface(parsed.value)).toBe('2001:db8::7/64');
  expect(parsed.ok && formatCidr(parsed.value.network)).toBe('2001:db8::/64');
});

describe('usable addresses', () => {
  test.each([
    ['192.0.2.0/24', '192.0.2.1', '192.0.2.254'],
    ['192.0.2.0/30', '192.0.2.1', '192.0.2.2'],
    ['192.0.2.0/31', '192.0.2.0', '192.0.2.1'],
    ['192.0.2.9/32', '192.0.2.9', '192.0.2.9'],
    ['2001:db8::/64', '2001:db8::1', '2001:db8::ffff:ffff:ffff:ffff'],
    ['2001:db8::/127', '2001:db8::', '2001:db8::1'],
    ['2001:db8::/128', '2001:db8::', '2001:db8::'],
  ])('%s: from %s to %s', (text, first, last) => {
    const hosts = hostRangeOf(read(text));
    expect([hosts.first, hosts.last]).toEqual([ip(first).value, ip(last).value]);
  });

  test('only IPv4 networks of four addresses or more have a broadcast address', () => {
    expect(isBroadcastAddress(read('192.0.2.0/24'), ip('192.0.2.255'))).toBe(true);
    expect(isBroadcastAddress(read('192.0.2.0/31'), ip('192.0.2.1'))).toBe(false);
    expect(isBroadcastAddress(read('2001:db8:0:1::/112'), ip('2001:db8:0:1::ffff'))).toBe(false);
    expect(isNetworkAddress(read('2001:db8:0:1::/112'), ip('2001:db8:0:1::'))).toBe(true);
    expect(isNetworkAddress(read('192.0.2.0/31'), ip('192.0.2.0'))).toBe(false);
    expect(isNetworkAddress(read('192.0.2.0/24'), ip('198.51.100.0'))).toBe(false);
  });
});

describe('relations', () => {
  check.prop([anyV4, anyV4])('overlap is what their ranges say', (a, b) => {
    const [x, y] = [rangeOf(a), rangeOf(b)];
    expect(cidrsOverlap(a, b)).toBe(x.first <= y.last && y.first <= x.last);
    expect(cidrCovers(a, b)).toBe(x.first <= y.first && y.last <= x.last);
    expect(cidrContains(a, b.base)).toBe(x.first <= y.first && y.first <= x.last);
  });

  test('families never meet', () => {
    expect(cidrsOverlap(read('0.0.0.0/0'), read('::/0'))).toBe(false);
  });
});

describe('complementCidrs', () => {
  check.prop([anyV4, fc.array(anyV4, { maxLength: 6 })])(
    'is exactly the rest, in the fewest networks',
    (cidr, excepts) => {
      const rest = complementCidrs(cidr, excepts);
      const cut = mergeIntervals(excepts.map(rangeOf));
      const restSet = mergeIntervals(rest.map(rangeOf));
      for (const part of rest) {
        expect(cidrCovers(cidr, part)).toBe(true);
        expect(cut.some((gap) => gap.first <= lastAddress(part).value && part.base.value <= gap.last)).toBe(
          false,
        );
      }
      const inside = excepts.filter((except) => cidrCovers(cidr, except)).map(rangeOf);
      const whole = excepts.some((except) => cidrCovers(except, cidr));
      const expected =
        countIntervals([rangeOf(cidr)]) -
        (whole ? countIntervals([rangeOf(cidr)]) : countIntervals(mergeIntervals(inside)));
      expect(countIntervals(restSet)).toBe(expected);
      // Two neighbours that are halves of one network would have been one.
      for (const [index, part] of rest.entries()) {
        const next = rest[index + 1];
        if (next?.prefix === part.prefix && part.prefix > 0) {
          expect(networkOf(part.base, part.prefix - 1)).not.toEqual(networkOf(next.base, part.prefix - 1));
        }
      }
    },
  );

  test('everything but the private range', () => {
    expect(complementCidrs(read('0.0.0.0/0'), [read('10.0.0.0/8')]).map(formatCidr)).toEqual([
      '0.0.0.0/5',
      '8.0.0.0/7',
      '11.0.0.0/8',
      '12.0.0.0/6',
      '16.0.0.0/4',
      '32.0.0.0/3',
      '64.0.0.0/2',
      '128.0.0.0/1',
    ]);
  });

  test('the whole of both families', () => {
    expect(complementCidrs(read('::/0'), []).map(formatCidr)).toEqual(['::/0']);
    expect(complementCidrs(read('::/0'), [read('::/0')])).toEqual([]);
  });
});

test('a range that is no network becomes the fewest networks', () => {
  const range = { first: ip('10.0.0.1').value, last: ip('10.0.0.6').value };
  expect(cidrsOfRange(4, range).map(formatCidr)).toEqual([
    '10.0.0.1/32',
    '10.0.0.2/31',
    '10.0.0.4/31',
    '10.0.0.6/32',
  ]);
  expect(formatIp(lastAddress(read('10.0.0.0/30')))).toBe('10.0.0.3');
});
