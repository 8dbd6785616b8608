import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NorthboundDatabase } from '../../src/nb/northbound.ts';
import {
  acceptedRevision,
  acceptRevision,
  appliedRecord,
  commitPlan,
} from '../../src/reconcile/revision-record.ts';
import type { DesiredRevision } from '../../src/reconcile/desired-revisions.ts';
import { planUnit } from '../../src/reconcile/plan-units.ts';
import { printAccepted } from '../../src/model/fence.ts';
import { vpcUnit } from '../../src/model/nb.ts';
import { CORRECT_ALL } from '../../src/plan/drift-policy.ts';
import { applyFiles, desiredFrom, openTestNorthbound } from '../support/apply-harness.ts';
import { dumpOf } from '../support/canonical.ts';
import { startMessageProxy } from '../support/message-proxy.ts';
import { nbctl } from '../support/nbctl.ts';
import { startOvsdbServer, type OvsdbServer } from '../support/ovsdb-server.ts';

const UNIT = vpcUnit('shop');
const signal = AbortSignal.timeout(300_000);

let server: OvsdbServer;
let first: NorthboundDatabase;
let second: NorthboundDatabase;

beforeEach(async () => {
  server = await startOvsdbServer({ schemaFile: '/usr/share/ovn/ovn-nb.ovsschema' });
  first = await openTestNorthbound(server.endpoint);
  second = await openTestNorthbound(server.endpoint);
});

afterEach(async () => {
  await first?.close();
  await second?.close();
  await server?.stop();
});

const revision = (number: number) =>
  desiredFrom(
    {
      'a.yaml': `apiVersion: ovn-gitops.io/v1
kind: Vpc
metadata: {name: shop}
spec: {}
---
apiVersion: ovn-gitops.io/v1
kind: Subnet
metadata: {name: web}
spec: {vpc: shop, cidrs: [10.0.${number}.0/24]}
`,
    },
    String(number).repeat(40),
  );

const record = (number: number) => printAccepted(accepted(number));
const accepted = (number: number) => ({ sequence: number, commit: String(number).repeat(40) });

function commit(northbound: NorthboundDatabase, number: number) {
  const desired = revision(number);
  const plan = planUnit(UNIT, desired.desired, northbound, 'test', CORRECT_ALL);
  return commitPlan(
    northbound,
    'test',
    { plan, revision: desired, accepted: accepted(number), now: 1 },
    signal,
  );
}

test('a worker with an older revision can not overwrite a newer one', async () => {
  expect(await acceptRevision(first, 'test', accepted(1), undefined, signal)).toMatchObject({
    kind: 'committed',
  });
  expect(await acceptRevision(second, 'test', accepted(2), record(1), signal)).toMatchObject({
    kind: 'committed',
  });
  expect(await commit(second, 2)).toMatchObject({ kind: 'committed' });
  const before = await dumpOf(server.endpoint);
  expect(await commit(first, 1)).toMatchObject({ kind: 'conflict' });
  expect(await dumpOf(server.endpoint)).toBe(before);
});

test('a worker with an older revision can not write a unit that was never written either', async () => {
  await acceptRevision(first, 'test', accepted(1), undefined, signal);
  await acceptRevision(first, 'test', accepted(2), record(1), signal);
  await second.resynced(signal);
  const before = await dumpOf(server.endpoint);
  expect(await commit(second, 1)).toMatchObject({ kind: 'conflict' });
  const desired = revision(1);
  const plan = planUnit(UNIT, desired.desired, second, 'test', CORRECT_ALL);
  const part = { plan, isPart: true, revision: desired, accepted: accepted(1), now: 1 };
  expect(await commitPlan(second, 'test', part, signal)).toMatchObject({ kind: 'conflict' });
  expect(await dumpOf(server.endpoint)).toBe(before);
  expect(await commit(second, 2)).toMatchObject({ kind: 'committed' });
});

test('of two acceptances on top of the same revision one wins', async () => {
  await acceptRevision(first, 'test', accepted(1), undefined, signal);
  await second.resynced(signal);
  const outcomes = await Promise.all([
    acceptRevision(first, 'test', accepted(2), record(1), signal),
    acceptRevision(second, 'test', accepted(3), record(1), signal),
  ]);
  expect(outcomes.map((outcome) => outcome.kind).toSorted()).toEqual(['committed', 'conflict']);
  await Promise.all([first.resynced(signal), second.resynced(signal)]);
  expect(acceptedRevision(first, 'test')).toEqual(acceptedRevision(second, 'test'));
});

test('of two first acceptances one wins', async () => {
  const outcomes = await Promise.all([
    acceptRevision(first, 'test', accepted(1), undefined, signal),
    acceptRevision(second, 'test', accepted(2), undefined, signal),
  ]);
  expect(outcomes.map((outcome) => outcome.kind).toSorted()).toEqual(['committed', 'conflict']);
  expect(
    nbctl(server.endpoint, '--bare', '--columns=_uuid', 'list', 'NB_Global').trim().split('\n'),
  ).toHaveLength(1);
});

test('of two workers with one job one writes, the other finds it done', async () => {
  await acceptRevision(first, 'test', accepted(1), undefined, signal);
  await second.resynced(signal);
  const outcomes = await Promise.all([commit(first, 1), commit(second, 1)]);
  expect(outcomes.map((outcome) => outcome.kind).toSorted()).toEqual(['committed', 'conflict']);
  await Promise.all([first.resynced(signal), second.resynced(signal)]);
  for (const northbound of [first, second]) {
    expect(planUnit(UNIT, revision(1).desired, northbound, 'test', CORRECT_ALL).changes).toEqual([]);
    expect(appliedRecord(northbound, 'test', UNIT)).toMatchObject(accepted(1));
  }
});

test('a row that changed between plan and commit is not overwritten blindly', async () => {
  await acceptRevision(first, 'test', accepted(1), undefined, signal);
  await commit(first, 1);
  await acceptRevision(first, 'test', accepted(2), record(1), signal);
  const desired = revision(2);
  const plan = planUnit(UNIT, desired.desired, first, 'test', CORRECT_ALL);
  nbctl(server.endpoint, 'lrp-del', 'shop:web');
  const outcome = await commitPlan(
    first,
    'test',
    { plan, revision: desired, accepted: accepted(2), now: 1 },
    signal,
  );
  expect(outcome).toMatchObject({ kind: 'conflict' });
});

test('the nb_cfg of a commit is the one that it bumped, also beyond 2^31', async () => {
  nbctl(server.endpoint, 'init', '--', 'set', 'NB_Global', '.', 'nb_cfg=4294967296');
  await acceptRevision(first, 'test', accepted(1), undefined, signal);
  expect(await commit(first, 1)).toEqual({ kind: 'committed', nbCfg: 4_294_967_297 });
});

test('a lost reply to a commit that went through makes no second row', async () => {
  const proxy = await startMessageProxy(server.endpoint.slice('unix:'.length));
  const third = await openTestNorthbound(proxy.endpoint);
  try {
    await acceptRevision(third, 'test', accepted(1), undefined, signal);
    let isLost = false;
    proxy.toClient = (message) => {
      // Replies have results and no method; updates have a method.
      if (!Array.isArray(message['result']) || isLost) return message;
      isLost = true;
      proxy.cut();
      return undefined;
    };
    expect(await commit(third, 1)).toMatchObject({ kind: 'unavailable' });
    expect(isLost).toBe(true);
    await third.resynced(signal);
    expect(planUnit(UNIT, revision(1).desired, third, 'test', CORRECT_ALL).changes).toEqual([]);
    expect(nbctl(server.endpoint, '--bare', '--columns=name', 'list', 'Logical_Router').trim()).toBe('shop');
    expect(nbctl(server.endpoint, '--bare', '--columns=name', 'list', 'Logical_Switch').trim()).toBe('web');
  } finally {
    await third.close();
    await proxy.stop();
  }
});

test('replies that are lost while everything is applied cost no second write', async () => {
  const proxy = await startMessageProxy(server.endpoint.slice('unix:'.length));
  const third = await openTestNorthbound(proxy.endpoint);
  const files = Object.fromEntries(
    ['a', 'b', 'c'].map((name) => [
      `${name}.yaml`,
      `apiVersion: ovn-gitops.io/v1\nkind: Vpc\nmetadata: {name: ${name}}\nspec: {}\n`,
    ]),
  );
  try {
    await acceptRevision(third, 'test', accepted(1), undefined, signal);
    let lost = 0;
    proxy.toClient = (message) => {
      // The reply of a transaction that bumped nb_cfg: the server has committed it by then.
      if (lost === 2 || !JSON.stringify(message['result'] ?? '').includes('"nb_cfg":')) return message;
      lost += 1;
      proxy.cut();
      return undefined;
    };
    expect((await applyFiles(third, files, '1'.repeat(40))).failed).toEqual([]);
    expect(lost).toBe(2);
    proxy.toClient = (message) => message;
    await third.resynced(signal);
    expect((await applyFiles(third, files, '1'.repeat(40))).written).toEqual([]);
    expect(
      nbctl(server.endpoint, '--bare', '--columns=name', 'list', 'Logical_Router')
        .trim()
        .split(/\s+/)
        .toSorted(),
    ).toEqual(['a', 'b', 'c']);
    // One bump for each unit: nothing was written twice.
    expect(nbctl(server.endpoint, 'get', 'NB_Global', '.', 'nb_cfg').trim()).toBe('3');
  } finally {
    await third.close();
    await proxy.stop();
  }
});

test('of two workers whose changes would both fit one writes: the record of the unit is compared', async () => {
  await acceptRevision(first, 'test', accepted(1), undefined, signal);
  await commit(first, 1);
  await acceptRevision(first, 'test', accepted(2), record(1), signal);
  await second.resynced(signal);
  // Only members of a set change, which two writers could do one after the other.
  const outcomes = await Promise.all([commit(first, 2), commit(second, 2)]);
  expect(outcomes.map((outcome) => outcome.kind).toSorted()).toEqual(['committed', 'conflict']);
});

/** A VPC with one port, whose logical port has the given name. */
const named = (number: number, interfaceId: string): DesiredRevision =>
  desiredFrom(
    {
      'a.yaml': `apiVersion: ovn-gitops.io/v1
kind: Vpc
metadata: {name: shop}
spec: {}
---
apiVersion: ovn-gitops.io/v1
kind: Subnet
metadata: {name: web}
spec: {vpc: shop, cidrs: [10.0.1.0/24]}
---
apiVersion: ovn-gitops.io/v1
kind: Port
metadata: {name: web-1}
spec: {subnet: web, interfaceId: ${interfaceId}}
`,
    },
    String(number).repeat(40),
  );

test('a value that somebody changed after the plan was made is seen before it is overwritten', async () => {
  const write = (number: number, interfaceId: string) => {
    const revision = named(number, interfaceId);
    const plan = planUnit(UNIT, revision.desired, first, 'test', CORRECT_ALL);
    return commitPlan(first, 'test', { plan, revision, accepted: accepted(number), now: 1 }, signal);
  };
  await acceptRevision(first, 'test', accepted(1), undefined, signal);
  expect(await write(1, 'one')).toMatchObject({ kind: 'committed' });
  await acceptRevision(first, 'test', accepted(2), record(1), signal);
  // It returns only when it is done, so the replica has not seen it when the next line plans.
  nbctl(server.endpoint, 'set', 'Logical_Switch_Port', 'one', 'name=theirs');
  expect(await write(2, 'two')).toMatchObject({ kind: 'conflict' });
  expect(
    nbctl(server.endpoint, '--bare', '--columns=name', 'find', 'Logical_Switch_Port', 'name=theirs').trim(),
  ).toBe('theirs');
  await first.resynced(signal);
  expect(await write(2, 'two')).toMatchObject({ kind: 'committed' });
});

test('a row that lost our mark after the plan was made is not deleted', async () => {
  await acceptRevision(first, 'test', accepted(1), undefined, signal);
  await commit(first, 1);
  await acceptRevision(first, 'test', accepted(2), record(1), signal);
  const empty = desiredFrom({}, '2'.repeat(40));
  const uuid = nbctl(
    server.endpoint,
    '--bare',
    '--columns=_uuid',
    'find',
    'Logical_Switch',
    'name=web',
  ).trim();
  nbctl(server.endpoint, 'clear', 'Logical_Switch', uuid, 'external_ids');
  const plan = planUnit(UNIT, empty.desired, first, 'test', CORRECT_ALL);
  const request = { plan, revision: empty, accepted: accepted(2), now: 1 };
  expect(await commitPlan(first, 'test', request, signal)).toMatchObject({ kind: 'conflict' });
  expect(
    nbctl(server.endpoint, '--bare', '--columns=_uuid', 'find', 'Logical_Switch', 'name=web').trim(),
  ).toBe(uuid);
});
