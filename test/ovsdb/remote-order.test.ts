import { expect, test } from 'vitest';
import { firstCopyPatienceMs } from '../../src/ovsdb/client/monitor.ts';
import { RemoteOrder } from '../../src/ovsdb/client/remote-order.ts';
import { SEED, seededRandom } from '../support/seed.ts';

const REMOTES = ['a', 'b', 'c', 'd', 'e'];

test(`remotes are tried in any order, each in its turn (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  const firsts = new Map<string, number>();
  for (let n = 0; n < 500; n++) {
    const order = new RemoteOrder(REMOTES, random);
    const round = REMOTES.map(() => order.next());
    expect(new Set(round)).toEqual(new Set(REMOTES));
    // Whoever was left is the last to be tried again.
    expect(REMOTES.map(() => order.next())).toEqual(round);
    firsts.set(round[0] as string, (firsts.get(round[0] as string) ?? 0) + 1);
  }
  // 100 are expected of each; fewer than 50 happen once in ten million seeds.
  for (const remote of REMOTES) expect(firsts.get(remote)).toBeGreaterThan(50);
});

test('a remote that is to be stayed with is the next again', () => {
  const order = new RemoteOrder(REMOTES, () => 0);
  const first = order.next();
  order.stay();
  expect(order.next()).toBe(first);
});

test.each([
  ['at the longest', 0, [0, 0, 0, 1000, 1000, 1000, 2000]],
  ['at the shortest', 1 - Number.EPSILON, [0, 0, 0, 500, 500, 500, 1000]],
])('pauses begin when every remote was tried, and grow to eight seconds: %s', (_, chance, firsts) => {
  const order = new RemoteOrder(['a', 'b', 'c'], () => chance);
  const pauses = Array.from({ length: 60 }, () => order.pauseMs(false));
  expect(pauses.slice(0, 7)).toEqual(firsts);
  expect(pauses.at(-1)).toBe(chance === 0 ? 8000 : 4000);
  expect(pauses.toSorted((a, b) => a - b)).toEqual(pauses);
  // A server that served for a while starts the count anew.
  expect(order.pauseMs(true)).toBe(0);
  expect(Array.from({ length: 3 }, () => order.pauseMs(false))).toEqual(firsts.slice(1, 4));
});

test('the patience with a first copy grows from a minute to an hour', () => {
  const minutes = Array.from({ length: 9 }, (_, failed) => firstCopyPatienceMs(failed) / 60_000);
  expect(minutes).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
});
