import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FaultRounds, startFaultRounds } from '../support/fault-rounds.ts';
import { makeNamespaces, type Namespaces, whyNoNamespaces } from '../support/network-namespaces.ts';
import { type OvsdbCluster, type OvsdbServer, startOvsdbCluster, until } from '../support/ovsdb-server.ts';
import { EFFORT, SEED } from '../support/seed.ts';

const DATABASE = 'OVN_Northbound';
const ROUNDS = 2 * EFFORT;
const obstacle = whyNoNamespaces();

let namespaces: Namespaces | undefined;
let cluster: OvsdbCluster | undefined;
let faults: FaultRounds;

describe.skipIf(obstacle !== undefined)('members on computers of their own', () => {
  beforeAll(async () => {
    const net = makeNamespaces(3);
    namespaces = net;
    cluster = await startOvsdbCluster({
      schemaFile: '/usr/share/ovn/ovn-nb.ovsschema',
      database: DATABASE,
      places: net.computers.map(({ name, address }) => ({
        within: ['ip', 'netns', 'exec', name],
        address: `tcp:${address}:6644`,
        remotes: ['ptcp:6641:0.0.0.0'],
      })),
    });
    const { members } = cluster;
    faults = await startFaultRounds({
      remotes: net.computers.map(({ publicAddress }) => `tcp:${publicAddress}:6641`),
      // Over sockets that no partition reaches.
      watched: members.map((member) => member.endpoint),
      leader: async () => member(await leader()).endpoint,
    });
  });

  afterAll(async () => {
    try {
      await faults?.stop();
      await cluster?.stop();
    } finally {
      namespaces?.remove();
    }
  });

  test(
    `are partitioned from each other and from us under load, and no promise is broken (${ROUNDS} rounds, seed ${SEED})`,
    async () => {
      const kinds = Object.keys(FAULTS) as (keyof typeof FAULTS)[];
      for (let round = 0; round < ROUNDS; round += 1) {
        const kind = kinds[round % kinds.length] as keyof typeof FAULTS;
        const at = faults.random() < 0.6 ? await leader() : Math.floor(faults.random() * 3);
        faults.note(`${kind} of member ${at}`);
        try {
          await faults.round(() => FAULTS[kind](at));
        } finally {
          namespaces?.heal();
        }
      }
      expect(faults.load.commits()).toBeGreaterThan(ROUNDS);
    },
    180_000 * EFFORT,
  );
});

if (obstacle !== undefined) test.skip(`partitions need network namespaces: ${obstacle}`);

const member = (at: number): OvsdbServer => cluster?.members[at] as OvsdbServer;
const leader = async (): Promise<number> => (await cluster?.leader()) ?? 0;

const net = (): Namespaces => namespaces as Namespaces;

const FAULTS = {
  /** A leader that the others don't hear is replaced; we reach both. */
  isolate: async (at: number) => {
    net().isolate(at);
    await sleep(500);
    await until(async () => (await leader()) !== at || faults.load.faults.length > 0);
    await faults.load.moved(1);
    await sleep(faults.random() * 1500);
    net().heal();
  },
  /** A member that only we don't hear any more: packets are lost, and the connection stays open. */
  hide: async (at: number) => {
    net().hide(at);
    await sleep(1000 + faults.random() * 14_000);
    net().heal();
  },
  /** Nobody hears anybody: there is no quorum. */
  shatter: async () => {
    for (let at = 0; at < 3; at += 1) net().isolate(at);
    await sleep(1000 + faults.random() * 4000);
    net().heal();
  },
} satisfies Record<string, (at: number) => Promise<void>>;
