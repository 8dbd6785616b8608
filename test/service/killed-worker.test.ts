import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acceptedKey, parseAccepted } from '../../src/model/fence.ts';
import { openNorthbound, type NorthboundDatabase } from '../../src/nb/northbound.ts';
import { MANAGED_TABLES } from '../../src/plan/managed-tables.ts';
import { watchAtomicity } from '../support/atomicity.ts';
import { eventually, type Installation, startInstallation } from '../support/installation.ts';
import { EFFORT, SEED, seededRandom } from '../support/seed.ts';

const ROUNDS = EFFORT === 1 ? 50 : 200;

let installation: Installation;
let northbound: NorthboundDatabase;

beforeAll(async () => {
  installation = await startInstallation(['redis', 'northbound']);
  northbound = await openNorthbound(
    {
      remotes: [installation.servers.northbound],
      southbound: undefined,
      tables: MANAGED_TABLES,
      owner: 'test',
      tls: undefined,
      clock: Date.now,
      log: () => {},
    },
    AbortSignal.timeout(20_000),
  );
});

afterAll(async () => {
  await northbound?.close();
  await installation?.stop();
});

test(`a worker killed at random moments of ${ROUNDS} applies leaves units at an old or a new revision (seed ${SEED})`, async () => {
  const random = seededRandom(SEED);
  const watch = watchAtomicity(northbound, 'test');
  const controller = await installation.startController();
  const workers = [await installation.startWorker(), await installation.startWorker()];
  let commit = '';
  for (let round = 1; round <= ROUNDS; round += 1) {
    commit = await installation.repository.commit(`round ${round}`, specs(round));
    await eventually(`round ${round} is accepted`, () => accepted() === commit);
    await sleep(random() * 120);
    // The other one goes on; the replacement comes up while the next rounds run.
    await workers.shift()?.kill9();
    workers.push(await installation.startWorker());
  }
  await eventually(
    'the last commit is everywhere',
    () => addresses().every((address) => address.endsWith(`.${10 + ROUNDS}"]`)) && addresses().length === 40,
    90_000,
  );
  expect(watch.torn).toEqual([]);
  expect(watch.updates()).toBeGreaterThan(ROUNDS / 2);
  await eventually('all units are Ready', async () => {
    const units = await installation.store.units();
    return units.length === 2 && units.every((unit) => unit.condition === 'Ready');
  });
  expect(accepted()).toBe(commit);
  for (const worker of workers) expect(await worker.stop()).toBe(0);
  expect(await controller.stop()).toBe(0);
}, 600_000);

function accepted(): string | undefined {
  return parseAccepted(northbound.record(acceptedKey('test')))?.commit;
}

function addresses(): readonly string[] {
  const rows = ['shop', 'lab'].flatMap((vpc) => [...northbound.live.keysOf(`vpc/${vpc}` as never)]);
  return rows
    .filter((key) => key.startsWith('Logical_Switch_Port/p-'))
    .map((key) => JSON.stringify(northbound.live.withKey(key)[0]?.columns['addresses']));
}

/** Two VPCs with twenty ports each, whose addresses all depend on the round. */
function specs(round: number): Record<string, string> {
  const documents: string[] = [];
  for (const [vpc, octet] of [
    ['shop', 1],
    ['lab', 2],
  ] as const) {
    documents.push(`apiVersion: ovn-gitops.io/v1\nkind: Vpc\nmetadata: {name: ${vpc}}\nspec: {}\n`);
    for (let index = 0; index < 20; index += 1) {
      const subnet = `${vpc}-${index}`;
      const network = `10.${octet}.${index}`;
      documents.push(
        `apiVersion: ovn-gitops.io/v1\nkind: Subnet\nmetadata: {name: ${subnet}}\nspec: {vpc: ${vpc}, cidrs: [${network}.0/24]}\n`,
      );
      documents.push(
        `apiVersion: ovn-gitops.io/v1\nkind: Port\nmetadata: {name: p-${subnet}}\nspec: {subnet: ${subnet}, addresses: [${network}.${10 + round}]}\n`,
      );
    }
  }
  return { 'network.yaml': documents.join('---\n') };
}
