import { expect, test } from 'vitest';
import type { Plan } from '../../src/model/plan.ts';
import { diff } from '../../src/plan/diff.ts';
import { CORRECT_ALL } from '../../src/plan/drift-policy.ts';
import { liveFromState } from '../../src/plan/live-from-state.ts';
import { addressHold, deletionHold, historyHold } from '../../src/reconcile/acceptance.ts';
import type { DesiredRevision } from '../../src/reconcile/desired-revisions.ts';
import { desiredFrom } from '../support/apply-harness.ts';

const network = (cidrs: string, ports: readonly string[]): DesiredRevision =>
  desiredFrom({
    'a.yaml': [
      'apiVersion: ovn-gitops.io/v1\nkind: Vpc\nmetadata: {name: shop}\nspec: {}\n',
      `apiVersion: ovn-gitops.io/v1\nkind: Subnet\nmetadata: {name: web}\nspec: {vpc: shop, cidrs: ${cidrs}}\n`,
      ...ports.map((port) => `apiVersion: ovn-gitops.io/v1\nkind: Port\nmetadata: {name: ${port}\n`),
    ].join('---\n'),
  });
const port = (name: string, addresses = ''): string => `${name}}\nspec: {subnet: web${addresses}}`;

function plansFrom(base: DesiredRevision, head: DesiredRevision): readonly Plan[] {
  const live = liveFromState(base.desired.state, 'test');
  const shared = {
    desired: head.desired,
    live,
    owner: 'test',
    settled: false,
    policy: CORRECT_ALL,
    isPreview: true,
  };
  return [...new Set([...base.desired.units, ...head.desired.units])].map((unit) =>
    diff({ ...shared, unit }),
  );
}

function hold(base: DesiredRevision, head: DesiredRevision) {
  return addressHold(plansFrom(base, head), head);
}

test('a new port that takes the automatic address of an old one is held, and the port is named', () => {
  // Three hosts for three ports: whatever the order is, each has a place, and a fixed address takes one away.
  const base = network('[10.0.1.0/29]', [port('a'), port('b'), port('c')]);
  const taken = base.compiled.addresses.get('b')?.addresses[0]?.address ?? '';
  const head = network('[10.0.1.0/29]', [
    port('a'),
    port('b'),
    port('c'),
    port('d', `, addresses: [${taken}]`),
  ]);
  expect(hold(base, head)).toMatchObject({ reason: 'AddressMoves' });
  expect(hold(base, head)?.message).toContain(`b: ${taken} ->`);
});

test('what moves nothing is not held: another family, another fixed address, a pinned port', () => {
  const base = network('[10.0.1.0/24]', [port('a'), port('b', ', addresses: [10.0.1.77]')]);
  expect(
    hold(base, network("[10.0.1.0/24, '2001:db8::/64']", [port('a'), port('b', ', addresses: [10.0.1.77]')])),
  ).toBeUndefined();
  expect(
    hold(base, network('[10.0.1.0/24]', [port('a'), port('b', ', addresses: [10.0.1.78]')])),
  ).toBeUndefined();
});

test('deletions are counted against the budget, in rows and in percent', () => {
  const base = network('[10.0.1.0/24]', [port('a'), port('b')]);
  const plans = plansFrom(base, network('[10.0.1.0/24]', [port('a')]));
  expect(deletionHold(plans, 6, undefined)).toBeUndefined();
  expect(deletionHold(plans, 6, { count: 0 })).toMatchObject({ reason: 'DeleteBudget' });
  expect(deletionHold(plans, 6, { percent: 20 })).toBeUndefined();
  expect(deletionHold(plans, 6, { percent: 10 })?.message).toContain('would delete 1 of 6 rows');
});

test('a history that does not continue the accepted one is held, also when that can not be told', () => {
  expect(historyHold('descendant', 'a', 'b')).toBeUndefined();
  expect(historyHold('same', 'a', 'a')).toBeUndefined();
  expect(historyHold('rewound', 'a', 'b')).toMatchObject({ reason: 'HistoryRewritten' });
  expect(historyHold('unknown', 'a', 'b')).toMatchObject({ reason: 'HistoryRewritten' });
});
