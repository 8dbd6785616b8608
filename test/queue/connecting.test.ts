import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openQueue } from '../../src/queue/open-queue.ts';
import type { QueueError } from '../../src/queue/queue-error.ts';
import { redisAddress, type RedisOptions } from '../../src/queue/redis-options.ts';
import { startWorker } from '../../src/queue/start-worker.ts';
import { openStatusStore } from '../../src/queue/status-store.ts';
import { type RedisServer, type RedisServerOptions, startRedisServer } from '../support/redis-server.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

describe('addresses', () => {
  test.each([
    ['redis://localhost', { host: 'localhost', port: 6379, db: 0 }],
    [
      'redis://u%40x:p%2Fw@host:7000/3',
      { host: 'host', port: 7000, db: 3, username: 'u@x', password: 'p/w' },
    ],
    ['redis://:secret@host', { host: 'host', port: 6379, db: 0, password: 'secret' }],
    ['redis://[::1]:6380', { host: '::1', port: 6380, db: 0 }],
    ['rediss://host', { host: 'host', port: 6379, db: 0, tls: {} }],
    ['unix:/run/redis.sock', { path: '/run/redis.sock' }],
    ['unix:///run/redis.sock', { path: '/run/redis.sock' }],
    ['/run/redis.sock', { path: '/run/redis.sock' }],
  ])('%s', (url, client) => {
    expect(redisAddress({ url })).toMatchObject({ ok: true, value: { client } });
  });

  test.each(['', 'localhost', 'http://host', 'redis://host/name', 'unix:relative.sock', 'redis://'])(
    '%j is refused',
    (url) => {
      expect(redisAddress({ url })).toMatchObject({ ok: false, error: { code: 'BAD_URL' } });
    },
  );

  test('never show a password', () => {
    const address = redisAddress({ url: 'redis://user:secret@host:7000/3' });
    expect(address).toMatchObject({ ok: true, value: { server: 'redis://host:7000/3' } });
  });
});

describe('a Redis that can not be used', () => {
  test('nobody listens', async () => {
    const server = await started({ tcp: true });
    await server.kill9();
    expect(await problem({ url: `redis://127.0.0.1:${server.port}` })).toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringContaining(`redis://127.0.0.1:${server.port}/0`) as unknown,
      hint: expect.stringContaining('redis-server') as unknown,
    });
    expect(await problem({ url: server.path })).toMatchObject({ code: 'UNREACHABLE' });
  });

  test('a password is missing or wrong, and is not repeated', async () => {
    const server = await started({ settings: { requirepass: 'right' }, tcp: true });
    expect(await problem({ url: server.path })).toMatchObject({ code: 'AUTH_FAILED' });
    const wrong = await problem({ url: `redis://:hunter2@127.0.0.1:${server.port}` });
    expect(wrong).toMatchObject({ code: 'AUTH_FAILED' });
    expect(JSON.stringify(wrong)).not.toContain('hunter2');
    expect(await problem({ url: `redis://:right@127.0.0.1:${server.port}` })).toBeUndefined();
  });

  test('it would evict jobs', async () => {
    const server = await started({ settings: { maxmemory: '64mb', 'maxmemory-policy': 'allkeys-lru' } });
    expect(await problem({ url: server.path })).toMatchObject({
      code: 'EVICTS',
      message: expect.stringContaining('allkeys-lru') as unknown,
    });
  });

  test('it would evict jobs if it had a limit: only a warning', async () => {
    const server = await started({ settings: { 'maxmemory-policy': 'allkeys-lru' } });
    const events: string[] = [];
    const queue = await openQueue({
      redis: { url: server.path },
      owner: 'x',
      log: (event) => events.push(event),
    });
    expect(queue.ok).toBe(true);
    if (queue.ok) await queue.value.close();
    expect(events).toEqual(['redis.would-evict']);
  });

  test('it is a replica', async () => {
    const server = await started({
      settings: { replicaof: '127.0.0.1 1', 'replica-serve-stale-data': 'yes' },
    });
    expect(await problem({ url: server.path })).toMatchObject({ code: 'READ_ONLY' });
  });

  test('it accepts and never answers: starting can be aborted', async () => {
    const silent = net.createServer();
    const directory = mkdtempSync(path.join(tmpdir(), 'silent-'));
    await new Promise<void>((resolve) => silent.listen(path.join(directory, 's'), resolve));
    cleanups.push(() => new Promise((resolve) => silent.close(resolve)));
    const abort = new AbortController();
    silent.once('connection', (socket) => {
      cleanups.push(async () => socket.destroy());
      abort.abort();
    });
    const queue = await openQueue({ redis: { url: path.join(directory, 's') }, owner: 'x' }, abort.signal);
    expect(queue).toMatchObject({ ok: false, error: { code: 'ABORTED' } });
    rmSync(directory, { recursive: true });
  });

  test('the owner does not fit into a key', async () => {
    const server = await started();
    const queue = await openQueue({ redis: { url: server.path }, owner: 'a}b' });
    expect(queue).toMatchObject({ ok: false, error: { code: 'BAD_OWNER' } });
  });

  test('queue, worker and store say the same', async () => {
    const redis = { url: '/nowhere/redis.sock' };
    const results = [
      await openQueue({ redis, owner: 'x' }),
      await openStatusStore({ redis, owner: 'x' }),
      await startWorker({ redis, owner: 'x', concurrency: 1, run: async () => ({ kind: 'done' }) }),
    ];
    for (const result of results) expect(result).toMatchObject({ ok: false, error: { code: 'UNREACHABLE' } });
  });
});

test("TLS with a CA of one's own works, and without it is refused", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'tls-'));
  const key = path.join(directory, 'key.pem');
  const certificate = path.join(directory, 'cert.pem');
  const made = spawnSync('openssl', [
    ...'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost'.split(' '),
    ...'-addext subjectAltName=DNS:localhost'.split(' '),
    '-keyout',
    key,
    '-out',
    certificate,
  ]);
  expect(made.status).toBe(0);
  const port = await freePort();
  await started({
    settings: {
      'tls-port': String(port),
      'tls-cert-file': certificate,
      'tls-key-file': key,
      'tls-auth-clients': 'no',
    },
  });
  const ca = readFileSync(certificate, 'utf8');
  expect(await problem({ url: `rediss://localhost:${port}`, ca })).toBeUndefined();
  expect(await problem({ url: `rediss://localhost:${port}` })).toMatchObject({ code: 'TLS_FAILED' });
  rmSync(directory, { recursive: true });
});

test('a primary is found through its sentinels', async () => {
  const primary = await started({ tcp: true });
  const directory = mkdtempSync(path.join(tmpdir(), 'sentinel-'));
  const port = await freePort();
  const configuration = path.join(directory, 'sentinel.conf');
  writeFileSync(
    configuration,
    `port ${port}\nbind 127.0.0.1\ndir ${directory}\nsentinel monitor net 127.0.0.1 ${primary.port} 1\n`,
  );
  const sentinel = spawn('redis-server', [configuration, '--sentinel'], { stdio: 'ignore' });
  cleanups.push(async () => {
    const gone = new Promise((resolve) => sentinel.once('exit', resolve));
    sentinel.kill('SIGKILL');
    await gone;
    rmSync(directory, { recursive: true });
  });
  const redis = { sentinels: [{ host: '127.0.0.1', port }], primary: 'net' };
  let found = await problem(redis);
  while (found?.code === 'UNREACHABLE') found = await problem(redis);
  expect(found).toBeUndefined();
});

async function started(options: RedisServerOptions = {}): Promise<RedisServer> {
  const server = await startRedisServer(options);
  cleanups.push(() => server.stop());
  return server;
}

/** What keeps a queue from being opened. */
async function problem(redis: RedisOptions): Promise<QueueError | undefined> {
  const queue = await openQueue({ redis, owner: 'x' });
  if (!queue.ok) return queue.error;
  await queue.value.close();
  return undefined;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' ? (address?.port ?? 0) : 0);
      });
    });
  });
}
