import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openQueue } from '../../src/queue/open-queue.ts';
import type { QueueError } from '../../src/queue/queue-error.ts';
import { redisAddress, type RedisOptions } from '../../src/queue/redis-options.ts';
import { startWorker } from '../../src/queue/start-worker.ts';
import { openStatusStore } from '../../src/queue/status-store.ts';
import { makeCertificate } from '../support/certificate.ts';
import {
  freePort,
  type RedisServer,
  type RedisServerOptions,
  startRedisServer,
} from '../support/redis-server.ts';

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
    ['redis+sentinel://a/net', { sentinels: [{ host: 'a', port: 26379 }], name: 'net', db: 0 }],
    [
      'redis+sentinel://u%40x:p%2Fw@a:7000,[::1]:7001,[fe80::1]/net%2E1/2?sentinel-password=s%26t',
      {
        sentinels: [
          { host: 'a', port: 7000 },
          { host: '::1', port: 7001 },
          { host: 'fe80::1', port: 26379 },
        ],
        name: 'net.1',
        db: 2,
        username: 'u@x',
        password: 'p/w',
        sentinelPassword: 's&t',
      },
    ],
    ['rediss+sentinel://a/net', { name: 'net', tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }],
  ])('%s', (url, client) => {
    expect(redisAddress({ url })).toMatchObject({ ok: true, value: { client } });
  });

  test.each([
    ['', 'not a URL'],
    ['localhost', 'not a URL'],
    ['http://host', 'unknown scheme http:'],
    ['redis://host/name', 'the database must be a number'],
    ['redis://%zz@host', 'a % is not followed'],
    ['unix:relative.sock', 'unknown scheme unix:'],
    ['redis://', 'no host'],
    ['redis+sentinel://a:26379', 'the name that the sentinels give the primary is missing'],
    ['redis+sentinel://a,,b/net', '"" is not a sentinel'],
    ['redis+sentinel://a:0,b/net', '"a:0" is not a sentinel'],
    ['redis+sentinel://a:99999/net', '"a:99999" is not a sentinel'],
    ['redis+sentinel://::1/net', '"::1" is not a sentinel'],
    ['redis+sentinel:///net', '"" is not a sentinel'],
    ['redis+sentinel://a/net/main', 'the database must be a number'],
    ['redis+sentinel://a/net?password=x', 'unknown parameter password'],
    ['redis+sentinel:a/net', 'not an address of sentinels'],
    ['redis+sentinel://:%zz@a/net', 'a % is not followed'],
  ])('%j is refused', (url, why) => {
    expect(redisAddress({ url })).toMatchObject({
      ok: false,
      error: { code: 'BAD_URL', message: expect.stringContaining(why) as unknown },
    });
  });

  test('never show a password', () => {
    const address = redisAddress({ url: 'redis://user:secret@host:7000/3' });
    expect(address).toMatchObject({ ok: true, value: { server: 'redis://host:7000/3' } });
    const url = 'redis+sentinel://user:secret@a:1,b:2/net?sentinel-password=secret';
    expect(redisAddress({ url })).toMatchObject({
      ok: true,
      value: { server: 'net of the sentinels a:1,b:2' },
    });
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
  const { key, certificate } = makeCertificate(directory);
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
