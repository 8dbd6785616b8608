import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { convertThereAndBack } from '../support/convert-schema.ts';
import { type FaultRounds, startFaultRounds } from '../support/fault-rounds.ts';
import { type OvsdbCluster, type OvsdbServer, startOvsdbCluster } from '../support/ovsdb-server.ts';
import { EFFORT, SEED } from '../support/seed.ts';

const DATABASE = 'OVN_Northbound';
const ROUNDS = 7 * EFFORT;

let cluster: OvsdbCluster;
let faults: FaultRounds;

beforeAll(async () => {
  cluster = await startOvsdbCluster({ schemaFile: '/usr/share/ovn/ovn-nb.ovsschema', database: DATABASE });
  const remotes = cluster.members.map((member) => member.endpoint);
  faults = await startFaultRounds({
    remotes,
    watched: remotes,
    leader: async () => (cluster.members[await cluster.leader()] as OvsdbServer).endpoint,
  });
});

afterAll(async () => {
  await faults?.stop();
  await cluster?.stop();
});

test(
  `members of a cluster die, stop, stall, lag, convert and compact under load, and no promise is broken (${ROUNDS} rounds, seed ${SEED})`,
  async () => {
    const kinds = Object.keys(FAULTS) as (keyof typeof FAULTS)[];
    for (let round = 0; round < ROUNDS; round += 1) {
      const kind = kinds[round % kinds.length] as keyof typeof FAULTS;
      const leader = await cluster.leader();
      const at = round % 2 === 0 ? leader : Math.floor(faults.random() * cluster.members.length);
      faults.note(`${kind} of member ${at}, ${leader} leads`);
      await faults.round(() => FAULTS[kind](cluster.members[at] as OvsdbServer));
    }
    expect(faults.load.commits()).toBeGreaterThan(ROUNDS);
    expect(faults.load.foreign.commits()).toBeGreaterThan(0);
  },
  180_000 * EFFORT,
);

const others = (member: OvsdbServer): readonly OvsdbServer[] =>
  cluster.members.filter((each) => each !== member);

const FAULTS = {
  kill: async (member: OvsdbServer) => {
    await member.kill9();
    await sleep(faults.random() * 1500);
    await member.start();
  },
  restart: async (member: OvsdbServer) => {
    await member.restart();
  },
  freeze: async (member: OvsdbServer) => {
    process.kill(member.pid, 'SIGSTOP');
    await sleep(500 + faults.random() * 3000);
    process.kill(member.pid, 'SIGCONT');
  },
  /** The others have no quorum while two are away. */
  noQuorum: async (member: OvsdbServer) => {
    await Promise.all(others(member).map((other) => other.kill9()));
    await sleep(faults.random() * 2500);
    for (const other of others(member)) await other.start();
  },
  /** A follower that was away while others compacted gets the whole database anew. */
  lag: async (member: OvsdbServer) => {
    await member.kill9();
    await sleep(1500);
    await faults.load.moved(10);
    for (const other of others(member)) other.appctl('ovsdb-server/compact', DATABASE);
    await member.start();
  },
  convert: async () => {
    const leader = cluster.members[await cluster.leader()] as OvsdbServer;
    await convertThereAndBack(leader.endpoint, () => faults.load.moved(3));
  },
  compact: async () => {
    for (let times = 0; times < 3; times += 1) {
      for (const member of cluster.members) member.appctl('ovsdb-server/compact', DATABASE);
      await faults.load.moved(3);
    }
  },
} satisfies Record<string, (member: OvsdbServer) => Promise<void>>;
