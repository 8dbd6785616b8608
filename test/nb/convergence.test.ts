import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Convergence } from '../../src/model/status.ts';
import type { NorthboundDatabase } from '../../src/nb/northbound.ts';
import { ConvergenceWatch } from '../../src/reconcile/convergence-watch.ts';
import { vpcUnit } from '../../src/model/nb.ts';
import { applyFiles, openTestNorthbound } from '../support/apply-harness.ts';
import { startChassis, type TestChassis } from '../support/chassis.ts';
import { eventually } from '../support/installation.ts';
import { type OvnCentral, startCentral } from '../support/ovn-central.ts';

let central: OvnCentral;
let northbound: NorthboundDatabase;
const chassis: TestChassis[] = [];

beforeEach(async () => {
  central = await startCentral();
  northbound = await openTestNorthbound(central.nb, central.sb);
});

afterEach(async () => {
  await northbound?.close();
  for (const one of chassis.splice(0)) await one.stop();
  await central?.stop();
});

let revision = 0;

/** Writes a VPC with one more subnet than before and follows the commit until `isDone` or as long as it is followed. */
async function applyAndFollow(isDone: (progress: Convergence) => boolean): Promise<readonly Convergence[]> {
  revision += 1;
  const subnets = Array.from(
    { length: revision },
    (_, index) =>
      `---\napiVersion: ovn-gitops.io/v1\nkind: Subnet\nmetadata: {name: s${index}}\nspec: {vpc: shop, cidrs: [10.0.${index}.0/24]}\n`,
  );
  const vpc = `apiVersion: ovn-gitops.io/v1\nkind: Vpc\nmetadata: {name: shop}\nspec: {}\n`;
  const result = await applyFiles(
    northbound,
    { 'a.yaml': vpc + subnets.join('') },
    String(revision).padStart(40, '0'),
  );
  const steps: Convergence[] = [];
  const watch = new ConvergenceWatch(northbound, Date.now, (error) => {
    throw error;
  });
  watch.follow(
    vpcUnit('shop'),
    result.written.at(-1)?.nbCfg ?? 0,
    async (progress) => steps.push(progress) > 0,
  );
  await eventually('the commit is proven as far as it can be', () => steps.some(isDone));
  followed = watch.size;
  await watch.close();
  return steps;
}

let followed = 0;

test('every chassis proves a commit by itself, and a dead one keeps nobody else from proving it', async () => {
  for (const name of ['node-1', 'node-2']) chassis.push(await startChassis(name, central.sb));
  await eventually('both chassis are known', () => northbound.convergence(0).chassis?.total === 2);
  const steps = await applyAndFollow((progress) => progress.chassis?.caughtUp === 2);
  expect(steps.at(-1)?.translatedAt).toBeGreaterThan(0);
  expect(steps.at(-1)?.chassis).toEqual({ caughtUp: 2, total: 2, behind: [] });
  expect(followed).toBe(0);

  await chassis[1]?.killController();
  const later = await applyAndFollow((progress) => progress.chassis?.caughtUp === 1);
  expect(later.at(-1)?.translatedAt).toBeGreaterThan(0);
  expect(later.at(-1)?.chassis).toEqual({ caughtUp: 1, total: 2, behind: ['node-2'] });
  expect(followed).toBe(1);
});

test('no chassis at all is not success of all', async () => {
  await eventually('the Southbound is read', () => northbound.convergence(0).chassis !== undefined);
  const steps = await applyAndFollow((progress) => progress.translatedAt !== undefined);
  expect(steps.at(-1)?.chassis).toEqual({ caughtUp: 0, total: 0, behind: [] });
  expect(followed).toBe(1);
});
