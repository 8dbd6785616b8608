import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate } from '../support/certificate.ts';
import { eventually } from '../support/installation.ts';
import { makeMortalBuild } from '../support/mortal-build.ts';
import { expectRecovery, type MortalNetwork, startMortalNetwork } from '../support/mortal-network.ts';
import { type RedisFleet, startRedisFleet } from '../support/redis-fleet.ts';
import { freePort, startRedisServer } from '../support/redis-server.ts';
import { makeRevisionCycle, type Revision } from '../support/revision-cycle.ts';
import { EFFORT, SEED, seededRandom } from '../support/seed.ts';

const LIMIT = 3_600_000;
const ROUNDS = Array.from({ length: EFFORT }, (_, round) => round + 1);

let directory: string;
let cycle: readonly Revision[];
const random = seededRandom(SEED);

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'redis-failover-'));
  [cycle] = await Promise.all([makeRevisionCycle(), makeMortalBuild(path.join(directory, 'build'))]);
}, LIMIT);

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
}, LIMIT);

describe(`a primary that sentinels watch over (seed ${SEED})`, () => {
  let fleet: RedisFleet;
  let network: MortalNetwork;

  beforeAll(async () => {
    fleet = await startRedisFleet();
    await fleet.replicated();
    network = await startMortalNetwork(path.join(directory, 'build'), cycle, { redis: fleet.url });
  }, LIMIT);

  afterAll(async () => {
    await network?.stop();
    await fleet?.stop();
  }, LIMIT);

  test.each(ROUNDS)(
    'is replaced on command (round %i)',
    async () => {
      await fleet.replicated();
      await network.push();
      await sleep(random() * 1_200);
      await fleet.failOver();
      await network.push();
      await expectRecovery(network);
    },
    LIMIT,
  );

  test.each(ROUNDS)(
    'is killed, is replaced, and comes back as a replica (round %i)',
    async () => {
      await fleet.replicated();
      const primary = await fleet.primary();
      await network.push();
      await sleep(random() * 1_200);
      await primary.kill9();
      await network.push();
      await eventually('another one is the primary', async () => (await fleet.primary()) !== primary);
      await sleep(random() * 1_000);
      await primary.start();
      await network.push();
      await expectRecovery(network);
      await fleet.replicated();
    },
    LIMIT,
  );

  test('is found by the commands, which say when they can not', () => {
    const shown = run('status', '--redis', fleet.url);
    expect(shown).toMatchObject({ status: 0, stderr: '' });
    expect(shown.stdout).toContain('vpc/shop');
    const other = run('status', '--redis', fleet.url.replace('/net', '/other'));
    expect(other.status).toBe(1);
    expect(other.stderr).toContain('SENTINEL MASTERS');
  });
});

test(
  'a Redis with TLS is used by controller, worker and commands, and found again when it was away',
  async () => {
    const { key, certificate } = makeCertificate(directory);
    const port = await freePort();
    const tls = { 'tls-port': String(port), 'tls-cert-file': certificate, 'tls-key-file': key };
    const server = await startRedisServer({ settings: { ...tls, 'tls-auth-clients': 'no' } });
    const redis = `rediss://localhost:${port}`;
    const network = await startMortalNetwork(path.join(directory, 'build'), cycle, {
      redis,
      redisCaFile: certificate,
    });
    await server.kill9();
    await network.push();
    await server.start();
    await expectRecovery(network);
    expect(run('status', '--redis', redis, '--redis-ca', certificate).stdout).toContain('vpc/shop');
    expect(run('status', '--redis', redis).stderr).toContain('certificate');
    expect(run('status', '--redis', redis, '--redis-ca', key).stderr).toContain('holds no certificate');
    expect(run('status', '--redis', redis, '--redis-ca', '/nowhere').stderr).toContain('cannot be read');
    expect(run('status', '--redis', server.path, '--redis-ca', certificate).stderr).toContain('rediss://');
    await network.stop();
    await server.stop();
  },
  LIMIT,
);

function run(...args: readonly string[]): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  const program = path.join(directory, 'build/dist/src/main/cli.js');
  return spawnSync(process.execPath, [program, ...args, '--owner', 'test'], { encoding: 'utf8' });
}
