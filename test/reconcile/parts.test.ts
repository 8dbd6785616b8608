import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RowKey } from '../../src/model/nb.ts';
import { vpcUnit } from '../../src/model/nb.ts';
import type { NorthboundDatabase } from '../../src/nb/northbound.ts';
import { appliedRecord } from '../../src/reconcile/revision-record.ts';
import { applyFiles, desiredFrom, openTestNorthbound } from '../support/apply-harness.ts';
import { printPlans } from '../../src/plan/print.ts';
import { CORRECT_ALL } from '../../src/plan/drift-policy.ts';
import { planUnits } from '../../src/reconcile/plan-units.ts';
import { dumpOf } from '../support/canonical.ts';
import { type OvsdbServer, startOvsdbServer } from '../support/ovsdb-server.ts';

const PORTS = 120;
const LIMIT = 100;
const UNIT = vpcUnit('shop');

let server: OvsdbServer;
let whole: OvsdbServer;
let northbound: NorthboundDatabase;
let watcher: NorthboundDatabase;
/** Operations of each transaction that was sent. */
let sizes: number[];
/** Ports that some update showed without the group that they are to have. */
let unguarded: string[];

beforeEach(async () => {
  server = await startOvsdbServer({ schemaFile: '/usr/share/ovn/ovn-nb.ovsschema' });
  whole = await startOvsdbServer({ schemaFile: '/usr/share/ovn/ovn-nb.ovsschema' });
  northbound = await open();
  watcher = await openTestNorthbound(server.endpoint);
  unguarded = [];
  watcher.onUnits(() => {
    for (const key of watcher.live.keysOf(UNIT)) {
      if (/^Logical_Switch_Port\/[ab][0-9]/.test(key) && !isGuarded(key)) unguarded.push(key);
    }
  });
});

afterEach(async () => {
  await northbound?.close();
  await watcher?.close();
  await server?.stop();
  await whole?.stop();
});

async function open(stopAfter = Infinity): Promise<NorthboundDatabase> {
  const opened = await openTestNorthbound(server.endpoint);
  const transact = opened.transact.bind(opened);
  sizes = [];
  opened.transact = async (transaction, signal) => {
    if (sizes.length === stopAfter) throw new Error('killed');
    sizes.push(transaction.operations.length);
    return transact(transaction, signal);
  };
  return opened;
}

/** True when the port is in a group that has rules. */
function isGuarded(key: RowKey): boolean {
  return watcher.live.withKey(key).some((port) =>
    watcher.live.holders(port.uuid).some(({ table, uuid }) => {
      const acls = table === 'Port_Group' ? watcher.live.row(table, uuid)?.columns['acls'] : undefined;
      return Array.isArray(acls) && acls.length > 0;
    }),
  );
}

function files(letter: string, limit: number | undefined, group = letter): Record<string, string> {
  const ports = Array.from({ length: PORTS }, (_, at) =>
    document(
      'Port',
      `${letter}${at}`,
      `{subnet: web, addresses: [10.0.${letter === 'a' ? 0 : 1}.${at + 10}]}`,
    ),
  );
  const all = [
    document('Vpc', 'shop', '{}'),
    document('Subnet', 'web', '{vpc: shop, cidrs: [10.0.0.0/16]}'),
    document(
      'SecurityGroup',
      `group-${group}`,
      '{vpc: shop, selector: {}, ingress: [{protocol: tcp, ports: [{from: 443}]}]}',
    ),
    ...ports,
  ];
  if (limit !== undefined)
    all.push(document('Repository', 'network', `{limits: {transactionOperations: ${limit}}}`));
  return { 'network.yaml': all.join('---\n') };
}

function document(kind: string, name: string, spec: string): string {
  return `apiVersion: ovn-gitops.io/v1\nkind: ${kind}\nmetadata: {name: ${name}}\nspec: ${spec}\n`;
}

/** What the same files come to when each unit is one transaction. */
async function expected(letter: string, group = letter): Promise<string> {
  const direct = await openTestNorthbound(whole.endpoint);
  expect((await applyFiles(direct, files(letter, undefined, group))).failed).toEqual([]);
  await direct.close();
  return dumpOf(whole.endpoint);
}

test('a plan says which units are written in parts', () => {
  const { desired } = desiredFrom(files('a', LIMIT));
  const plans = planUnits(desired, northbound, 'test', CORRECT_ALL, true);
  expect(printPlans(plans, LIMIT)).toContain(
    `vpc/shop is written in parts of ${LIMIT} operations, policy first`,
  );
  expect(printPlans(plans, 10 * LIMIT)).not.toContain('in parts');
  expect(printPlans(plans)).not.toContain('in parts');
});

test('a unit that is too large for one transaction is written in parts, and no port is unguarded between them', async () => {
  expect((await applyFiles(northbound, files('a', LIMIT))).failed).toEqual([]);
  expect(sizes.length).toBeGreaterThan(3);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(LIMIT);
  expect(await dumpOf(server.endpoint)).toBe(await expected('a'));

  // All ports are replaced by others, and the group that they are in.
  sizes.length = 0;
  expect((await applyFiles(northbound, files('b', LIMIT), 'b'.repeat(40))).failed).toEqual([]);
  expect(sizes.length).toBeGreaterThan(5);
  expect(await dumpOf(server.endpoint)).toBe(await expected('b'));

  // All ports are replaced by others in one and the same group.
  expect((await applyFiles(northbound, files('a', LIMIT, 'b'), 'c'.repeat(40))).failed).toEqual([]);
  expect(await dumpOf(server.endpoint)).toBe(await expected('a', 'b'));
  await watcher.resynced(AbortSignal.timeout(10_000));
  expect(unguarded).toEqual([]);
  // One bump of nb_cfg for each revision, with its last part.
  expect(watcher.progress.nbCfg).toBe(3);
});

test('whoever dies between two parts leaves nothing that the next one does not finish', async () => {
  await applyFiles(northbound, files('a', LIMIT));
  const steps = Array.from({ length: 6 }, (_, step) => step);
  for (const step of steps) {
    const dying = await open(step + 1);
    const letter = step % 2 === 0 ? 'b' : 'a';
    await expect(applyFiles(dying, files(letter, LIMIT), String(step).repeat(40))).rejects.toThrow('killed');
    await dying.close();
    await watcher.resynced(AbortSignal.timeout(10_000));
    // The record still names what was written last as a whole.
    const hash = appliedRecord(watcher, 'test', UNIT)?.hash;
    northbound = await open();
    const result = await applyFiles(northbound, files(letter, LIMIT), String(step).repeat(40));
    expect(result.failed).toEqual([]);
    expect(result.written.flatMap(({ plan }) => plan.changes).map((change) => change.cause)).not.toContain(
      'drift',
    );
    expect(await dumpOf(server.endpoint)).toBe(await expected(letter));
    await watcher.resynced(AbortSignal.timeout(10_000));
    expect(appliedRecord(watcher, 'test', UNIT)?.hash).not.toBe(hash);
    await northbound.close();
  }
  expect(unguarded).toEqual([]);
});

test('without a limit a unit is one transaction, whatever its size', async () => {
  expect(desiredFrom(files('a', undefined)).repository.limits).toBeUndefined();
  await applyFiles(northbound, files('a', undefined));
  // The acceptance (twice, where the row of NB_Global has to be made) and the unit.
  expect(sizes.filter((size) => size > 10)).toHaveLength(1);
});
