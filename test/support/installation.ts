import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Embedded, startEmbedded } from '../../src/embedded/start-embedded.ts';
import type { Part } from '../../src/embedded/part.ts';
import { readRedis } from '../../src/main/read-redis.ts';
import { openStatusStore } from '../../src/queue/status-store.ts';
import type { StatusStore } from '../../src/reconcile/status-store.ts';
import { type GitRepository, makeRepository } from './git-repository.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** One of our programs, running. */
export interface Program {
  readonly pid: number;
  /** Resolves when it has ended, with its exit code; null when a signal ended it. */
  readonly exited: Promise<number | null>;
  /** SIGKILL and wait. */
  kill9(): Promise<void>;
  /** SIGTERM and wait; gives back the exit code. */
  stop(): Promise<number | null>;
}

/** A whole installation with its own servers, repository and processes, as it would be deployed. */
export interface Installation {
  readonly directory: string;
  readonly repository: GitRepository;
  readonly servers: Embedded;
  readonly store: StatusStore;
  /** Further variables of the environment win over the installation's own. */
  startController(environment?: NodeJS.ProcessEnv): Promise<Program>;
  startWorker(environment?: NodeJS.ProcessEnv): Promise<Program>;
  /** What the programs logged so far. */
  logs(): string;
  /** Ends everything that is still running and removes the directory. */
  stop(): Promise<void>;
}

/** Where the programs are, and which Redis they use, when not the usual ones. */
export interface InstallationOptions {
  /** Folder of package.json and dist. */
  readonly root?: string;
  /** Address of a Redis that is not the installation's own. */
  readonly redis?: string;
  readonly redisCaFile?: string;
}

/** Starts servers and makes an empty repository; programs are started by the test. */
export async function startInstallation(
  parts?: readonly Part[],
  options: InstallationOptions = {},
): Promise<Installation> {
  const directory = mkdtempSync(path.join(tmpdir(), 'ovn-gitops-test-'));
  const embedded = await startEmbedded({
    directory: path.join(directory, 'servers'),
    ...(parts === undefined ? {} : { parts }),
  });
  if (!embedded.ok) throw new Error(embedded.error.message);
  const servers = embedded.value;
  const repository = await makeRepository(directory);
  const redis = await readRedis(options.redis ?? servers.redis.path, options.redisCaFile);
  if (!redis.ok) throw new Error(redis.error);
  const store = await openStatusStore({ redis: redis.value, owner: 'test' });
  if (!store.ok) throw new Error(store.error.message);
  const programs: Program[] = [];
  const log = path.join(directory, 'programs.log');
  const start = async (
    entry: string,
    args: readonly string[],
    further: NodeJS.ProcessEnv = {},
  ): Promise<Program> => {
    const environment = {
      ...process.env,
      OVN_GITOPS_REPO: repository.directory,
      OVN_GITOPS_REDIS: options.redis ?? servers.redis.path,
      ...(options.redisCaFile === undefined ? {} : { OVN_GITOPS_REDIS_CA: options.redisCaFile }),
      OVN_GITOPS_NB: servers.northbound,
      OVN_GITOPS_SB: servers.southbound,
      OVN_GITOPS_STATE: path.join(directory, 'state'),
      OVN_GITOPS_OWNER: 'test',
      OVN_GITOPS_INTERVAL: '1s',
      OVN_GITOPS_LOCK: '2s',
      ...further,
    };
    const program = await startProgram(path.join(options.root ?? ROOT, entry), args, environment, log);
    programs.push(program);
    return program;
  };
  return {
    directory,
    repository,
    servers,
    store: store.value,
    startController: (further) => start('dist/src/main/cli.js', ['controller'], further),
    startWorker: (further) => start('dist/workers/reconcile.js', [], further),
    logs: () => readFileSync(log, 'utf8'),
    stop: async () => {
      await Promise.all(programs.map((program) => program.stop()));
      await store.value.close();
      await servers.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Waits until a condition holds; throws what it waited for when it does not within a generous time. */
export async function eventually(
  what: string,
  condition: () => boolean | Promise<boolean>,
  ms = 40_000,
): Promise<void> {
  const deadline = Date.now() + ms;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited ${ms / 1000} s until ${what}`);
    await sleep(25);
  }
}

async function startProgram(
  entry: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  log: string,
): Promise<Program> {
  const child = spawn(process.execPath, [entry, ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const sink = createWriteStream(log, { flags: 'a' });
  child.stdout.pipe(sink, { end: false });
  child.stderr.pipe(sink, { end: false });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await started(child, exited);
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const code = await exited;
    sink.end();
    return code;
  };
  return {
    pid: child.pid ?? 0,
    exited,
    kill9: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  };
}

/** Resolves when the program has said that it runs. */
async function started(child: ChildProcess, exited: Promise<number | null>): Promise<void> {
  let text = '';
  const said = new Promise<void>((resolve) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('"msg":"started"')) resolve();
    });
  });
  const code = await Promise.race([said, exited.then((status) => ({ status }))]);
  if (code !== undefined) throw new Error(`the program ended with ${String(code.status)}: ${text}`);
}
