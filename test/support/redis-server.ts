import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RedisServerOptions {
  /** Further settings of redis.conf, e.g. `{requirepass: 'secret'}`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Listen on a TCP port of 127.0.0.1 as well; it stays the same over restarts. */
  readonly tcp?: boolean;
}

export interface RedisServer {
  /** Path of the unix socket. */
  readonly path: string;
  /** 0 unless `tcp` was asked for. */
  readonly port: number;
  readonly pid: number;
  /** SIGKILL and wait. Unless the settings say otherwise nothing was written to disk, so that a later start() is empty. */
  kill9(): Promise<void>;
  start(): Promise<void>;
  /** Ends the server and removes its directory. */
  stop(): Promise<void>;
}

/** Starts a real redis-server of the test's own: a unix socket in a fresh directory, nothing kept on disk. */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const directory = mkdtempSync(path.join(tmpdir(), 'redis-'));
  const socket = path.join(directory, 'redis.sock');
  const port = options.tcp === true ? await freePort() : 0;
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    unixsocket: socket,
    dir: directory,
    save: '',
    appendonly: 'no',
    'maxmemory-policy': 'noeviction',
    ...options.settings,
  };
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn(
      'redis-server',
      Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
      { stdio: 'ignore' },
    );
    while (!(await accepts(socket))) {
      if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
      await sleep(10);
    }
  };
  const end = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child?.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
    rmSync(socket, { force: true });
  };
  await start();
  return {
    path: socket,
    port,
    get pid() {
      if (child?.pid === undefined) throw new Error('redis-server is not running');
      return child.pid;
    },
    kill9: end,
    start,
    stop: async () => {
      await end();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function accepts(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = net.connect(socket, () => {
      connection.destroy();
      resolve(true);
    });
    connection.once('error', () => {
      resolve(false);
    });
  });
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('no port'));
        else resolve(address.port);
      });
    });
  });
}
