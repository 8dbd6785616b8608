import { afterAll, beforeAll, expect, test } from 'vitest';
import { dumpOf } from '../support/canonical.ts';
import { eventually, type Installation, startInstallation } from '../support/installation.ts';
import { nbctl } from '../support/nbctl.ts';
import type { SourceStatus } from '../../src/model/status.ts';

let installation: Installation;

const vpc = (name: string): string =>
  `apiVersion: ovn-gitops.io/v1\nkind: Vpc\nmetadata: {name: ${name}}\nspec: {}\n`;
const subnet = (name: string, owner: string, cidr: string): string =>
  `apiVersion: ovn-gitops.io/v1\nkind: Subnet\nmetadata: {name: ${name}}\nspec: {vpc: ${owner}, cidrs: [${cidr}]}\n`;

beforeAll(async () => {
  installation = await startInstallation(['redis', 'northbound']);
  await installation.startWorker();
  await installation.startController();
});

afterAll(async () => {
  await installation?.stop();
});

async function source(reason: string, commit: string): Promise<SourceStatus> {
  let status: SourceStatus | undefined;
  await eventually(`the source is ${reason} at ${commit}`, async () => {
    status = await installation.store.source();
    return status?.reason === reason && status.seen === commit;
  });
  return status as SourceStatus;
}

async function settled(): Promise<string> {
  await eventually('all units are Ready', async () => {
    const [units, status] = [await installation.store.units(), await installation.store.source()];
    return (
      units.length > 0 && units.every((unit) => unit.condition === 'Ready') && status?.condition === 'Ready'
    );
  });
  return dumpOf(installation.servers.northbound);
}

test('what a repository goes through', async () => {
  const { repository, servers, store } = installation;
  const good = await repository.commit('good', {
    'shop.yaml': [
      vpc('shop'),
      ...[1, 2, 3, 4, 5, 6].map((n) => subnet(`s${n}`, 'shop', `10.0.${n}.0/24`)),
    ].join('---\n'),
    'lab.yaml': vpc('lab'),
  });
  await source('Accepted', good);
  const before = await settled();

  // Ten files, each with a fault of its own: all are named, and nothing is applied.
  const bad: Record<string, string> = {};
  for (let index = 0; index < 10; index += 1) bad[`bad-${index}.yaml`] = FAULTS[index] ?? '';
  const broken = await repository.commit('ten faults', bad);
  const invalid = await source('Invalid', broken);
  for (const file of Object.keys(bad))
    expect(invalid.diagnostics).toMatch(new RegExp(`^${file}:\\d+:\\d+: error\\[`, 'm'));
  expect(invalid.serving?.commit).toBe(good);
  expect(await dumpOf(servers.northbound)).toBe(before);

  // Drift is repaired all the same.
  nbctl(servers.northbound, 'lr-del', 'lab');
  await eventually('the router is back', async () => (await dumpOf(servers.northbound)) === before);

  // Reverting is an ordinary commit; nothing has to be written for it.
  await repository.git('revert', '--no-edit', 'HEAD');
  const reverted = await repository.git('rev-parse', 'HEAD');
  await source('Accepted', reverted);
  expect(await settled()).toBe(before);

  // A deletion of most of the network waits for a second look, and a revert takes it back without a write.
  const mass = await repository.commit('delete the shop', { 'shop.yaml': undefined });
  const held = await source('DeleteBudget', mass);
  expect(held.condition).toBe('Stalled');
  expect(held.message).toMatch(/would delete \d+ of \d+ rows/);
  expect(await dumpOf(servers.northbound)).toBe(before);
  await store.allow(mass);
  await source('Accepted', mass);
  await eventually(
    'the shop is gone',
    async () => !(await dumpOf(servers.northbound)).includes('Logical_Router/shop'),
  );
  await repository.git('revert', '--no-edit', 'HEAD');
  await source('Accepted', await repository.git('rev-parse', 'HEAD'));
  await eventually('the shop is back', async () => (await dumpOf(servers.northbound)) === before);

  // A rewritten history is held, also when its content would be harmless.
  const next = await repository.commit('another subnet', {
    'more.yaml': subnet('s7', 'shop', '10.0.7.0/24'),
  });
  await source('Accepted', next);
  await eventually('the new subnet is there', async () =>
    (await dumpOf(servers.northbound)).includes('Logical_Switch/s7'),
  );
  const grown = await settled();
  await repository.git('reset', '--hard', '--quiet', 'HEAD~1');
  const rewritten = await repository.commit('rewritten', {
    'more.yaml': subnet('s8', 'shop', '10.0.8.0/24'),
  });
  const rewound = await source('HistoryRewritten', rewritten);
  expect(rewound.serving?.commit).toBe(next);
  expect(await dumpOf(servers.northbound)).toBe(grown);
  await store.allow(rewritten);
  await source('Accepted', rewritten);
  await eventually('the other subnet is there', async () =>
    (await dumpOf(servers.northbound)).includes('Logical_Switch/s8'),
  );

  // The branch vanishes: nothing happens to the network.
  const kept = await settled();
  await repository.git('branch', '-m', 'main', 'elsewhere');
  await eventually('the source says so', async () => (await store.source())?.condition !== 'Ready');
  expect(await dumpOf(servers.northbound)).toBe(kept);
  await repository.git('branch', '-m', 'elsewhere', 'main');
  await source('Accepted', rewritten);

  // Moving and renaming files writes nothing; nb_cfg counts the transactions.
  const nbCfg = nbctl(servers.northbound, 'get', 'NB_Global', '.', 'nb_cfg');
  await repository.git('mv', 'shop.yaml', 'renamed.yaml');
  await source('Accepted', await repository.commit('rename'));
  expect(await settled()).toBe(kept);
  expect(nbctl(servers.northbound, 'get', 'NB_Global', '.', 'nb_cfg')).toBe(nbCfg);
}, 300_000);

const FAULTS: readonly string[] = [
  'kind: [unclosed',
  vpc('UPPER'),
  vpc('0123').replace('{name: 0123}', '{name: 0123}'),
  subnet('a', 'nowhere', '10.9.1.0/24'),
  subnet('b', 'shop', '10.0.1.0/25'),
  subnet('c', 'shop', '10.9.9.1/24'),
  subnet('d', 'shop', '10.9.10.0/24').replace('cidrs', 'cidr'),
  vpc('shop'),
  'apiVersion: ovn-gitops.io/v1\nkind: Port\nmetadata: {name: p}\nspec: {subnet: s1, addresses: [10.0.2.9]}\n',
  'apiVersion: ovn-gitops.io/v1\nkind: Subnett\nmetadata: {name: q}\nspec: {}\n',
];
