import { expect, test } from 'vitest';
import { isMulticastMac, parseMac } from '../../src/lib/mac.ts';

test('a MAC address is written in lower case', () => {
  expect(parseMac('00:00:5E:00:53:AB')).toEqual({ ok: true, value: '00:00:5e:00:53:ab' });
});

test.each([
  '',
  '00:00:5e:00:53',
  '00:00:5e:00:53:1',
  '00-00-5e-00-53-01',
  '0000.5e00.5301',
  '00:00:5e:00:53:0g',
])('refuses %j', (text) => {
  expect(parseMac(text).ok).toBe(false);
});

test('the lowest bit of the first octet makes a group address', () => {
  expect(isMulticastMac('01:00:5e:00:53:01')).toBe(true);
  expect(isMulticastMac('33:33:00:00:00:01')).toBe(true);
  expect(isMulticastMac('0a:00:00:00:00:01')).toBe(false);
});
