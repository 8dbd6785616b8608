import { fc, test as check } from '@fast-check/vitest';
import { isIP } from 'node:net';
import { describe, expect, test } from 'vitest';
import { compareIp, formatIp, isMulticastIp, parseIp, type Ip } from '../../src/lib/ip.ts';

const anyIp = fc.oneof(
  fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }).map((value): Ip => ({ family: 4, value })),
  fc
    .bigInt({ min: 0n, max: (1n << 128n) - 1n })
    .filter((value) => value >> 32n !== 0xffffn)
    .map((value): Ip => ({ family: 6, value })),
  // Sparse addresses exercise the shortening of zero groups.
  fc.array(fc.constantFrom(0n, 0n, 0n, 1n, 0xffffn), { minLength: 8, maxLength: 8 }).map((groups): Ip => {
    const value = groups.reduce<bigint>((sum, group) => (sum << 16n) | group, 0n);
    return { family: 6, value: value >> 32n === 0xffffn ? 0n : value };
  }),
);

function read(text: string): Ip {
  const parsed = parseIp(text);
  if (!parsed.ok) throw new Error(`${text} ${parsed.error}`);
  return parsed.value;
}

describe('parseIp', () => {
  check.prop([anyIp])('reads back what formatIp wrote, and node agrees on the family', (ip) => {
    expect(read(formatIp(ip))).toEqual(ip);
    expect(isIP(formatIp(ip))).toBe(ip.family);
  });

  check.prop([fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.'.split('')) })])(
    'accepts no text that node refuses',
    (text) => {
      if (parseIp(text).ok) expect(isIP(text)).not.toBe(0);
    },
  );

  test.each([
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['::', '::'],
    ['1::', '1::'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
    ['255.255.255.255', '255.255.255.255'],
  ])('writes %s as %s', (text, canonical) => {
    expect(formatIp(read(text))).toBe(canonical);
  });

  test.each([
    '',
    '10.0.6.010',
    '10.0.6',
    '10.0.6.256',
    '10.0.6.1.2',
    '10.0.6.1 ',
    '0x0a.0.0.1',
    '10.0.6.-1',
    '1:2:3',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7:8::',
    '::1:2:3:4:5:6:7:8',
    ':1::',
    '12345::',
    'fe80::1%eth0',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '1.2.3.4::',
    'None',
    '1:2:3:4:5:6:7:1.2.3.4',
  ])('refuses %j', (text) => {
    expect(parseIp(text).ok).toBe(false);
  });

  test('says why a leading zero is refused', () => {
    expect(parseIp('10.0.6.010')).toEqual({
      ok: false,
      error: 'has the octet "010" with a leading zero, which some read as octal',
    });
  });
});

test('IPv4 comes before IPv6, and numbers decide within a family', () => {
  const ordered = ['9.0.0.1', '10.0.0.1', '::1', '2001:db8::'].map(read);
  expect(ordered.toReversed().toSorted(compareIp)).toEqual(ordered);
});

test.each([
  ['224.0.0.1', true],
  ['239.255.255.255', true],
  ['223.255.255.255', false],
  ['240.0.0.0', false],
  ['ff02::1', true],
  ['fe80::1', false],
])('whether %s is a group address: %s', (text, expected) => {
  expect(isMulticastIp(read(text))).toBe(expected);
});
