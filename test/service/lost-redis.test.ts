import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dumpOf } from '../support/canonical.ts';
import { eventually, type Installation, startInstallation } from '../support/installation.ts';
import { nbctl } from '../support/nbctl.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await startInstallation();
});

afterAll(async () => {
  await installation?.stop();
});

const specs = (...subnets: readonly number[]): Record<string, string> => ({
  'network.yaml': [
    'apiVersion: ovn-gitops.io/v1\nkind: Vpc\nmetadata: {name: shop}\nspec: {}\n',
    ...subnets.map(
      (index) =>
        `apiVersion: ovn-gitops.io/v1\nkind: Subnet\nmetadata: {name: s${index}}\nspec: {vpc: shop, cidrs: [10.0.${index}.0/24]}\n`,
    ),
  ].join('---\n'),
});

async function inForce(commit: string): Promise<void> {
  const { store } = installation;
  await eventually(`${commit} is in force and everything Ready`, async () => {
    const [source, units] = [await store.source(), await store.units()];
    const isServed = source?.condition === 'Ready' && source.serving?.commit === commit;
    return isServed && units.length === 1 && units.every((unit) => unit.condition === 'Ready');
  });
}

const nbCfg = (): string => nbctl(installation.servers.northbound, 'get', 'NB_Global', '.', 'nb_cfg').trim();

test('restarts write nothing, and a lost Redis loses nothing', async () => {
  const { repository, servers, store } = installation;
  const first = await repository.commit('first', specs(1, 2));
  let controller = await installation.startController();
  let worker = await installation.startWorker();
  await inForce(first);
  await eventually(
    'northd has translated it',
    async () => (await store.units())[0]?.convergence?.translatedAt !== undefined,
  );
  const before = await dumpOf(servers.northbound);
  const written = nbCfg();

  expect(await controller.stop()).toBe(0);
  expect(await worker.stop()).toBe(0);
  controller = await installation.startController();
  worker = await installation.startWorker();
  await inForce(first);
  expect(nbCfg()).toBe(written);

  // Emptied: status and history fill again from Git and NB, and nothing is written for it.
  const redis = new Redis(servers.redis.path);
  redis.on('error', () => {});
  await redis.flushall();
  await inForce(first);
  expect(await store.history(5)).toMatchObject([{ commit: first, sequence: 1 }]);
  expect(nbCfg()).toBe(written);

  // Emptied while work is under way: the newest commit ends up in force.
  let last = '';
  for (let round = 3; round <= 7; round += 1) {
    last = await repository.commit(`round ${round}`, specs(1, 2, round));
    await redis.flushall();
  }
  await inForce(last);
  await eventually('the last round is there', async () =>
    (await dumpOf(servers.northbound)).includes('Logical_Switch/s7'),
  );

  // Killed: it is started again, and drift is repaired as before.
  process.kill(servers.pids.redis ?? 0, 'SIGKILL');
  await eventually('Redis is back', () =>
    redis
      .ping()
      .then((pong) => pong === 'PONG')
      .catch(() => false),
  );
  const settled = await dumpOf(servers.northbound);
  nbctl(servers.northbound, 'ls-del', 's7');
  await eventually('the switch is back', async () => (await dumpOf(servers.northbound)) === settled);
  await eventually('the drift is on record', async () => (await store.drift(1))[0]?.outcome === 'corrected');

  const reverted = await repository.commit('back to the first', specs(1, 2));
  await inForce(reverted);
  await eventually('the rows are the first ones', async () => (await dumpOf(servers.northbound)) === before);
  redis.disconnect();
}, 300_000);
