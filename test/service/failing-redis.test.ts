import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { eventually } from '../support/installation.ts';
import { makeMortalBuild } from '../support/mortal-build.ts';
import { expectRecovery, type MortalNetwork, startMortalNetwork } from '../support/mortal-network.ts';
import { nbctl } from '../support/nbctl.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { makeRevisionCycle, type Revision } from '../support/revision-cycle.ts';
import { EFFORT, SEED, seededRandom } from '../support/seed.ts';
import { type StreamProxy, startStreamProxy } from '../support/stream-proxy.ts';

const LIMIT = 3_600_000;
const ROUNDS = Array.from({ length: EFFORT }, (_, round) => round + 1);

let directory: string;
let cycle: readonly Revision[];
const random = seededRandom(SEED);

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'failing-redis-'));
  [cycle] = await Promise.all([makeRevisionCycle(), makeMortalBuild(path.join(directory, 'build'))]);
}, LIMIT);

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
}, LIMIT);

describe(`one Redis that fails (seed ${SEED})`, () => {
  let server: RedisServer;
  let proxy: StreamProxy;
  let network: MortalNetwork;
  let admin: Redis;

  beforeAll(async () => {
    const settings = { appendonly: 'yes', appendfsync: 'always', 'enable-protected-configs': 'yes' };
    server = await startRedisServer({ settings });
    proxy = await startStreamProxy(server.path);
    admin = new Redis(server.path);
    admin.on('error', () => {});
    const redis = `redis://127.0.0.1:${proxy.port}`;
    network = await startMortalNetwork(path.join(directory, 'build'), cycle, { redis });
  }, LIMIT);

  afterAll(async () => {
    await network?.stop();
    admin?.disconnect();
    await proxy?.stop();
    await server?.stop();
  }, LIMIT);

  /** What breaks Redis, and what makes it well again. */
  const FAULTS: Readonly<Record<string, readonly [() => Promise<unknown>, () => Promise<unknown>]>> = {
    'it is killed, and comes back with its data': [() => server.kill9(), () => server.start()],
    'it is killed, and comes back empty': [
      async () => {
        await admin.flushall();
        await server.kill9();
      },
      () => server.start(),
    ],
    'it is emptied': [() => admin.flushall(), () => admin.flushall()],
    'it becomes a replica that takes no writes': [
      () => admin.replicaof('127.0.0.1', 1),
      () => admin.replicaof('NO', 'ONE'),
    ],
    'its memory is full': [
      () => admin.config('SET', 'maxmemory', '1'),
      () => admin.config('SET', 'maxmemory', '0'),
    ],
    'its disk is full': [
      async () => {
        const gone = path.join(directory, 'gone');
        mkdirSync(gone);
        await admin.config('SET', 'save', '3600 1');
        await admin.config('SET', 'dir', gone);
        rmSync(gone, { recursive: true });
        await admin.bgsave();
        await eventually('saving fails', async () => (await status()).includes('rdb_last_bgsave_status:err'));
      },
      async () => {
        await admin.config('SET', 'dir', path.dirname(server.path));
        await admin.bgsave();
        await eventually('saving works', async () => (await status()).includes('rdb_last_bgsave_status:ok'));
        await admin.config('SET', 'save', '');
      },
    ],
    'it pauses its clients': [
      () => admin.call('CLIENT', 'PAUSE', '2500', 'ALL'),
      // Which waits for the end of it, as every command does.
      () => admin.ping(),
    ],
    'it pauses writes': [
      () => admin.call('CLIENT', 'PAUSE', '3600000', 'WRITE'),
      () => admin.call('CLIENT', 'UNPAUSE'),
    ],
    'it stands still': [
      async () => process.kill(server.pid, 'SIGSTOP'),
      async () => process.kill(server.pid, 'SIGCONT'),
    ],
    'it takes no statuses of units': [
      () => admin.call('ACL', 'SETUSER', 'default', 'resetkeys', '%R~*', '~*:units:*', '~*:status:[^u]*'),
      () => admin.call('ACL', 'SETUSER', 'default', 'allkeys'),
    ],
    'the network to it is cut': [async () => proxy.cut(), async () => proxy.restore()],
    'the network to it swallows everything': [async () => proxy.silence(), async () => {}],
  };
  const status = (): Promise<string> => admin.info('persistence');

  test.each(ROUNDS.flatMap((round) => Object.keys(FAULTS).map((fault) => [fault, round] as const)))(
    '%s (round %i)',
    async (fault) => {
      const [breakIt, mendIt] = FAULTS[fault] ?? [];
      await network.push();
      await sleep(random() * 1_200);
      await breakIt?.();
      await network.push();
      nbctl(network.installation.servers.northbound, '--if-exists', 'ls-del', 'shop-1');
      // Long enough for the controller to look.
      await sleep(1_500 + random() * (EFFORT === 1 ? 500 : 3_000));
      await mendIt?.();
      await expectRecovery(network);
    },
    LIMIT,
  );
});
