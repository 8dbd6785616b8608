import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FaultRounds, startFaultRounds } from '../support/fault-rounds.ts';
import {
  type OvsdbCluster,
  type OvsdbServer,
  startOvsdbCluster,
  startOvsdbServer,
} from '../support/ovsdb-server.ts';
import { EFFORT, SEED } from '../support/seed.ts';

const DATABASE = 'OVN_Northbound';
const SCHEMA_FILE = '/usr/share/ovn/ovn-nb.ovsschema';
const ROUNDS = 2 * EFFORT;

let backups: string;
let faults: FaultRounds | undefined;
let server: OvsdbServer | undefined;
let cluster: OvsdbCluster | undefined;

beforeEach(() => {
  backups = mkdtempSync(path.join(tmpdir(), 'ovsdb-backups-'));
});

afterEach(async () => {
  await faults?.stop();
  await server?.stop();
  await cluster?.stop();
  faults = undefined;
  server = undefined;
  cluster = undefined;
  rmSync(backups, { recursive: true, force: true });
});

/** Keeps copies of the files, lets the network move on, and puts the copies back while everything is down. */
async function putBack(servers: readonly OvsdbServer[], rounds: FaultRounds): Promise<void> {
  await Promise.all(servers.map((each) => each.kill9()));
  for (const [at, each] of servers.entries()) copyFileSync(each.file, path.join(backups, String(at)));
  for (const each of servers) await each.start();
  await rounds.load.moved(10 + Math.floor(rounds.random() * 20));
  await Promise.all(servers.map((each) => each.kill9()));
  for (const [at, each] of servers.entries()) copyFileSync(path.join(backups, String(at)), each.file);
  // What was accepted since is gone, and nobody can know of it.
  rounds.load.forget();
  for (const each of servers) await each.start();
}

test(
  `a server that comes back with an older database is followed, and brought to the newest revision that it knows (${ROUNDS} rounds, seed ${SEED})`,
  async () => {
    const only = await startOvsdbServer({ schemaFile: SCHEMA_FILE });
    server = only;
    const rounds = await startFaultRounds({
      remotes: [only.endpoint],
      watched: [only.endpoint],
      leader: async () => only.endpoint,
    });
    faults = rounds;
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.note('put back');
      await rounds.round(() => putBack([only], rounds));
    }
    expect(rounds.load.commits()).toBeGreaterThan(10 * ROUNDS);
  },
  180_000 * EFFORT,
);

// It takes the client a while to believe it.
test(
  `a cluster whose members all come back with older databases is followed again (${EFFORT} rounds, seed ${SEED})`,
  async () => {
    const three = await startOvsdbCluster({ schemaFile: SCHEMA_FILE, database: DATABASE });
    cluster = three;
    const remotes = three.members.map((member) => member.endpoint);
    const rounds = await startFaultRounds({
      remotes,
      watched: remotes,
      leader: async () => (three.members[await three.leader()] as OvsdbServer).endpoint,
    });
    faults = rounds;
    for (let round = 0; round < EFFORT; round += 1) {
      rounds.note('put back');
      await rounds.round(() => putBack(three.members, rounds));
    }
    expect(rounds.load.commits()).toBeGreaterThan(10 * EFFORT);
  },
  180_000 * EFFORT,
);
