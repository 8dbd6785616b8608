import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface OvsdbServerOptions {
  readonly schemaFile: string;
  /** Where file, socket and log live; a fresh temporary directory, removed by stop(), when absent. */
  readonly dir?: string;
  /** Serve an existing database file instead of creating one (`schemaFile` is then not read). */
  readonly file?: string;
  /** Further passive remotes, e.g. `ptcp:0:127.0.0.1`; the port chosen is in `port`. */
  readonly remotes?: readonly string[];
  readonly arguments?: readonly string[];
  /** A command that starts the server elsewhere, e.g. `ip netns exec NAME`; it must become the server. */
  readonly within?: readonly string[];
}

export interface OvsdbServer {
  /** `unix:PATH` */
  readonly endpoint: string;
  readonly socketPath: string;
  readonly dir: string;
  readonly file: string;
  readonly pid: number;
  /** The TCP port of the first of `remotes` that asked for port 0. */
  readonly port: number | undefined;
  /** Runs an ovs-appctl command and returns what it printed. */
  appctl(...command: readonly string[]): string;
  /** Stops the server (SIGTERM), keeps the file, starts it again on the same socket and port. */
  restart(): Promise<void>;
  /** SIGTERM, wait, and remove the directory if it was made here. */
  stop(): Promise<void>;
  /** SIGKILL and wait; the files stay, so that start() can serve them again. */
  kill9(): Promise<void>;
  /** Starts the server again after kill9(). */
  start(): Promise<void>;
}

/** Starts a real ovsdb-server on a private unix socket and waits until it accepts connections. */
export async function startOvsdbServer(options: OvsdbServerOptions): Promise<OvsdbServer> {
  const dir = options.dir ?? mkdtempSync(path.join(tmpdir(), 'ovsdb-'));
  const file = options.file ?? path.join(dir, 'db.db');
  if (options.file === undefined) run('ovsdb-tool', ['create', file, options.schemaFile]);
  const server = new ServerProcess(dir, file, options);
  await server.start();
  return {
    endpoint: `unix:${server.socketPath}`,
    socketPath: server.socketPath,
    dir,
    file,
    get pid() {
      return server.pid;
    },
    get port() {
      return server.port;
    },
    appctl: (...command) => server.appctl(...command),
    start: () => server.start(),
    restart: async () => {
      await server.end('SIGTERM');
      await server.start();
    },
    kill9: () => server.end('SIGKILL'),
    stop: async () => {
      await server.end('SIGTERM');
      if (options.dir === undefined) rmSync(dir, { recursive: true, force: true });
    },
  };
}

export interface OvsdbCluster {
  readonly members: readonly OvsdbServer[];
  /** The index of the member that leads now; waits for an election. */
  leader(): Promise<number>;
  stop(): Promise<void>;
}

/** Where a member of a cluster runs, and where the others reach it, e.g. `tcp:10.0.0.1:6644`. */
export interface MemberPlace {
  readonly within: readonly string[];
  readonly address: string;
  readonly remotes: readonly string[];
}

/** Starts a RAFT cluster whose members talk over unix sockets, so that parallel runs cannot collide. */
export async function startOvsdbCluster(options: {
  readonly schemaFile: string;
  readonly database: string;
  readonly size?: number;
  /** Members on computers of their own, which talk over TCP. */
  readonly places?: readonly MemberPlace[];
}): Promise<OvsdbCluster> {
  const base = mkdtempSync(path.join(tmpdir(), 'ovsdb-raft-'));
  const address = (member: number): string => options.places?.[member]?.address ?? `unix:${base}/r${member}`;
  const members: OvsdbServer[] = [];
  for (let member = 0; member < (options.size ?? 3); member++) {
    const dir = mkdtempSync(path.join(base, `m${member}-`));
    const file = path.join(dir, 'db.db');
    if (member === 0) {
      run('ovsdb-tool', [
        '--election-timer=1000',
        'create-cluster',
        file,
        options.schemaFile,
        address(member),
      ]);
    } else {
      run('ovsdb-tool', ['join-cluster', file, options.database, address(member), address(0)]);
    }
    const place = options.places?.[member];
    members.push(await startOvsdbServer({ schemaFile: options.schemaFile, dir, file, ...place }));
  }
  await until(() => members.every((member) => joined(member, options.database)));
  return {
    members,
    leader: async () => {
      let at = -1;
      await until(() => {
        at = members.findIndex((member) => leads(member, options.database));
        return at >= 0;
      });
      return at;
    },
    stop: async () => {
      for (const member of members) await member.stop();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** Waits until `condition` holds; the test's own timeout is the limit. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10);
}

function joined(member: OvsdbServer, database: string): boolean {
  return clusterStatus(member, database).includes('Status: cluster member');
}

function leads(member: OvsdbServer, database: string): boolean {
  return /^Role: leader/m.test(clusterStatus(member, database));
}

function clusterStatus(member: OvsdbServer, database: string): string {
  try {
    return member.appctl('cluster/status', database);
  } catch {
    return '';
  }
}

class ServerProcess {
  readonly socketPath: string;
  port: number | undefined;
  readonly #dir: string;
  readonly #file: string;
  readonly #remotes: readonly string[];
  readonly #arguments: readonly string[];
  readonly #within: readonly string[];
  #child: ChildProcess | undefined;

  constructor(dir: string, file: string, options: OvsdbServerOptions) {
    this.#dir = dir;
    this.#file = file;
    this.#remotes = options.remotes ?? [];
    this.#arguments = options.arguments ?? [];
    this.#within = options.within ?? [];
    this.socketPath = path.join(dir, 'db.sock');
  }

  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error('ovsdb-server is not running');
    return pid;
  }

  appctl(...command: readonly string[]): string {
    return run('ovs-appctl', ['-t', this.#controlPath(), ...command]);
  }

  async start(): Promise<void> {
    rmSync(this.socketPath, { force: true });
    rmSync(this.#controlPath(), { force: true });
    const logFile = path.join(this.#dir, 'log');
    rmSync(logFile, { force: true });
    const remotes = this.#remotes.map((remote) =>
      this.port === undefined ? remote : remote.replace(':0:', `:${this.port}:`),
    );
    const command = [...this.#within, 'ovsdb-server'];
    const child = spawn(
      command[0] as string,
      [
        ...command.slice(1),
        '-vconsole:off',
        '-vfile:info',
        `--log-file=${logFile}`,
        `--remote=punix:${this.socketPath}`,
        `--unixctl=${this.#controlPath()}`,
        ...remotes.map((remote) => `--remote=${remote}`),
        ...this.#arguments,
        this.#file,
      ],
      { stdio: 'ignore' },
    );
    this.#child = child;
    await until(async () => {
      if (child.exitCode !== null) {
        throw new Error(`ovsdb-server ended: ${readFileSync(logFile, 'utf8')}`);
      }
      return accepts(this.socketPath);
    });
    if (!this.#remotes.some((remote) => remote.includes(':0:'))) return;
    // The log is written by a thread of its own.
    await until(() => {
      const listening = /listening on port (\d+)/.exec(readFileSync(logFile, 'utf8'));
      this.port ??= listening === null ? undefined : Number(listening[1]);
      return this.port !== undefined;
    });
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }

  #controlPath(): string {
    return path.join(this.#dir, 'ctl');
  }
}

function accepts(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(socketPath, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

function run(command: string, arguments_: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, arguments_, { encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${arguments_.join(' ')}: ${stderr}`);
  return stdout;
}
