import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NorthboundDatabase } from '../../src/nb/northbound.ts';
import { applyFiles, openTestNorthbound } from '../support/apply-harness.ts';
import { watchAtomicity } from '../support/atomicity.ts';
import { dumpOf } from '../support/canonical.ts';
import { eventually, type Installation, type Program, startInstallation } from '../support/installation.ts';
import { nbctl } from '../support/nbctl.ts';
import { type OvsdbServer, startOvsdbServer } from '../support/ovsdb-server.ts';
import { EFFORT, SEED, seededRandom } from '../support/seed.ts';

const ROUNDS = 12 * EFFORT;

let installation: Installation;
let fresh: OvsdbServer;
let witness: NorthboundDatabase;

beforeAll(async () => {
  installation = await startInstallation(['redis', 'northbound']);
  fresh = await startOvsdbServer({ schemaFile: '/usr/share/ovn/ovn-nb.ovsschema' });
  witness = await openTestNorthbound(installation.servers.northbound);
});

afterAll(async () => {
  await witness?.close();
  await installation?.stop();
  await fresh?.stop();
});

test(`whatever dies meanwhile, the network ends as Git says (${ROUNDS} rounds, seed ${SEED})`, async () => {
  const { repository, servers } = installation;
  const random = seededRandom(SEED);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const watch = watchAtomicity(witness, 'test');
  const redis = new Redis(servers.redis.path);
  redis.on('error', () => {});
  let worker: Program = await installation.startWorker();
  let controller: Program = await installation.startController();
  let files = specs(random);
  let head = await repository.commit('start', files);

  const faults: Readonly<Record<string, () => Promise<void>>> = {
    push: async () => {
      files = specs(random);
      head = await repository.commit('another network', files);
    },
    'hand edit': async () => {
      byHand(random);
    },
    'worker killed': async () => {
      await worker.kill9();
      worker = await installation.startWorker();
    },
    'controller killed': async () => {
      await controller.kill9();
      controller = await installation.startController();
    },
    'Redis killed': async () => void process.kill(servers.pids.redis ?? 0, 'SIGKILL'),
    'Redis emptied': async () => void (await redis.flushall().catch(() => {})),
    'Northbound killed': async () => void process.kill(servers.pids.northbound ?? 0, 'SIGKILL'),
    'Northbound stopped for a while': async () => {
      const pid = servers.pids.northbound ?? 0;
      process.kill(pid, 'SIGSTOP');
      await sleep(random() * 1500);
      process.kill(pid, 'SIGCONT');
    },
  };
  const story: string[] = [];
  const torn: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // The first half is without hand edits: what is torn then, we have torn.
    if (round === Math.floor(ROUNDS / 2)) torn.push(...watch.torn);
    const names = Object.keys(faults).filter((name) => name !== 'hand edit' || round >= ROUNDS / 2);
    const what = round % 3 === 0 ? 'push' : pick(names);
    story.push(what);
    await eventually(
      'the servers are there',
      () => servers.pids.redis !== undefined && servers.pids.northbound !== undefined,
    );
    await faults[what]?.();
    await sleep(random() * 400);
  }

  const told = story.join(', ');
  await eventually(
    `all is well after ${told}`,
    async () => {
      const status = await installation.store.source().catch(() => undefined);
      return status?.condition === 'Ready' && status.serving?.commit === head;
    },
    90_000,
  );
  const reference = await openTestNorthbound(fresh.endpoint);
  expect((await applyFiles(reference, files)).failed).toEqual([]);
  await reference.close();
  const wanted = await dumpOf(fresh.endpoint);
  await eventually(
    `the rows are as Git says after ${told}`,
    async () => (await dumpOf(servers.northbound)) === wanted,
    90_000,
  );
  expect(torn, told).toEqual([]);
  redis.disconnect();
}, 3_600_000);

/** What somebody does with ovn-nbctl; that a server is away just then is no fault of theirs. */
function byHand(random: () => number): void {
  const edits: readonly (readonly string[])[] = [
    ['--if-exists', 'lr-del', 'shop'],
    ['--if-exists', 'ls-del', 'shop-1'],
    ['--if-exists', 'lsp-del', 'shop-1-10'],
    ['--if-exists', 'clear', 'Logical_Router', 'lab', 'options'],
    ['--all', 'destroy', 'Port_Group'],
    ['--all', 'destroy', 'Address_Set'],
    ['--if-exists', 'set', 'Logical_Switch', 'lab-2', 'name=changed'],
    ['--if-exists', 'lrp-del', 'shop:shop-2'],
  ];
  try {
    nbctl(installation.servers.northbound, ...(edits[Math.floor(random() * edits.length)] ?? []));
  } catch {
    // The row may be missing, the server away.
  }
}

/** Two VPCs of changing size, now and then peered. The delete budget is out of the way: every push is to be applied. */
function specs(random: () => number): Record<string, string> {
  const documents = [document('Repository', 'all', '{deleteBudget: {percent: 100}}')];
  const sizes = { shop: 2 + Math.floor(random() * 3), lab: 2 + Math.floor(random() * 3) };
  for (const [index, [vpc, size]] of Object.entries(sizes).entries()) {
    documents.push(
      document('Vpc', vpc, '{}'),
      document(
        'SecurityGroup',
        `${vpc}-all`,
        `{vpc: ${vpc}, selector: {}, ingress: [{protocol: tcp, ports: [{from: ${80 + Math.floor(random() * 3)}}]}]}`,
      ),
    );
    for (let subnet = 1; subnet <= size; subnet += 1) {
      documents.push(
        document('Subnet', `${vpc}-${subnet}`, `{vpc: ${vpc}, cidrs: [10.${index}.${subnet}.0/24]}`),
      );
      const host = 10 + Math.floor(random() * 3);
      documents.push(
        document(
          'Port',
          `${vpc}-${subnet}-10`,
          `{subnet: ${vpc}-${subnet}, addresses: [10.${index}.${subnet}.${host}]}`,
        ),
      );
    }
  }
  if (random() < 0.5)
    documents.push(
      document(
        'Peering',
        'link',
        '{ends: [{vpc: shop, addresses: [169.254.1.1/30]}, {vpc: lab, addresses: [169.254.1.2/30]}]}',
      ),
    );
  return { 'network.yaml': documents.join('---\n') };
}

function document(kind: string, name: string, spec: string): string {
  return `apiVersion: ovn-gitops.io/v1\nkind: ${kind}\nmetadata: {name: ${name}}\nspec: ${spec}\n`;
}
