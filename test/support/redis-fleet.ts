import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort, type RedisServer, startRedisServer } from './redis-server.ts';

/** A primary, a replica, and three sentinels that watch over them. */
export interface RedisFleet {
  /** `redis+sentinel://...` */
  readonly url: string;
  readonly servers: readonly RedisServer[];
  /** The one that the sentinels name now. */
  primary(): Promise<RedisServer>;
  /** Has the sentinels make the other one the primary, as for maintenance. */
  failOver(): Promise<void>;
  /** Waits until the other one follows the primary: before that no failover can succeed. */
  replicated(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts real servers and sentinels of the test's own, on ports of 127.0.0.1. */
export async function startRedisFleet(): Promise<RedisFleet> {
  const first = await startRedisServer({ tcp: true });
  const second = await startRedisServer({ tcp: true, settings: { replicaof: `127.0.0.1 ${first.port}` } });
  const servers = [first, second];
  const directory = mkdtempSync(path.join(tmpdir(), 'sentinels-'));
  const ports = [await freePort(), await freePort(), await freePort()];
  const sentinels = ports.map((port) => startSentinel(path.join(directory, String(port)), port, first.port));
  const ask = async (...words: readonly [string, ...string[]]): Promise<unknown> => {
    const sentinel = new Redis({ port: ports[0] ?? 0, lazyConnect: true });
    sentinel.on('error', () => {});
    try {
      return await sentinel.call('SENTINEL', ...words);
    } finally {
      sentinel.disconnect();
    }
  };
  const primary = async (): Promise<RedisServer> => {
    for (;;) {
      const [, port] = (await ask('get-master-addr-by-name', NAME)) as readonly string[];
      const found = servers.find((server) => server.port === Number(port));
      if (found !== undefined) return found;
      await sleep(50);
    }
  };
  return {
    url: `redis+sentinel://${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${NAME}`,
    servers,
    primary,
    failOver: async () => {
      const before = (await primary()).port;
      // Refused with NOGOODSLAVE or INPROG until the sentinels have found everything.
      while ((await ask('failover', NAME).catch(() => undefined)) !== 'OK') await sleep(100);
      while ((await primary()).port === before) await sleep(50);
    },
    replicated: async () => {
      const redis = new Redis((await primary()).path);
      while (!/^slave0:.*state=online/m.test(await redis.info('replication'))) await sleep(50);
      redis.disconnect();
    },
    stop: async () => {
      await Promise.all(sentinels.map(end));
      for (const server of servers) await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const NAME = 'net';

function startSentinel(file: string, port: number, primary: number): ChildProcess {
  const settings = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${path.dirname(file)}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${primary} 2`,
    `sentinel down-after-milliseconds ${NAME} 500`,
    `sentinel failover-timeout ${NAME} 3000`,
  ];
  writeFileSync(file, `${settings.join('\n')}\n`);
  return spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}
