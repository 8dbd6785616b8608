import { expect, test } from 'vitest';
import { parseDuration } from '../../src/lib/duration.ts';

test.each([
  ['0s', 0],
  ['30s', 30],
  ['5m', 300],
  ['24h', 86_400],
  ['2d', 172_800],
])('%s is %i seconds', (text, seconds) => {
  expect(parseDuration(text)).toEqual({ ok: true, value: seconds });
});

test.each([
  ['30', 'has no unit; write s, m, h or d'],
  ['30ms', 'has the unit "ms"; write s, m, h or d'],
  ['1.5h', 'is not a duration such as 30s, 5m or 24h'],
  ['030s', 'is not a duration such as 30s, 5m or 24h'],
  ['-1s', 'is not a duration such as 30s, 5m or 24h'],
  ['', 'is not a duration such as 30s, 5m or 24h'],
])('refuses %j: %s', (text, error) => {
  expect(parseDuration(text)).toEqual({ ok: false, error });
});
