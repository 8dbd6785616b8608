import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { type Embedded, type EmbeddedOptions, startEmbedded } from '../../src/embedded/start-embedded.ts';
import { bundle } from '../support/bundle.ts';
import { until } from '../support/ovsdb-server.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

describe('starting', () => {
  test('brings up Redis, both databases and a northd that translates', async () => {
    const servers = await started({ directory: freshDirectory() });
    expect(Object.keys(servers.pids)).toEqual(['redis', 'northbound', 'southbound', 'northd']);
    nbctl(servers, 'ls-add', 'web');
    nbctl(servers, '--wait=sb', 'sync');
    expect(
      ovn('ovn-sbctl', servers.southbound, '--bare', '--columns=external_ids', 'list', 'Datapath_Binding'),
    ).toContain('name=web');
    expect(redis(servers, 'config', 'get', 'maxmemory-policy')).toContain('noeviction');
    expect(redis(servers, 'config', 'get', 'appendonly')).toContain('yes');
    expect(redis(servers, 'config', 'get', 'port')).toMatch(/^port\s+0$/);
  });

  test('keeps databases and Redis data for the next start', async () => {
    const directory = freshDirectory();
    const first = await started({ directory, parts: ['redis', 'northbound'] });
    nbctl(first, 'ls-add', 'kept');
    redis(first, 'set', 'kept', 'yes');
    await first.stop();
    const second = await started({ directory, parts: ['redis', 'northbound'] });
    expect(nbctl(second, 'ls-list')).toContain('kept');
    expect(redis(second, 'get', 'kept')).toBe('yes');
  });

  test('gives a new database its global row even without northd', async () => {
    const servers = await started({ directory: freshDirectory(), parts: ['northbound', 'southbound'] });
    expect(nbctl(servers, '--columns=nb_cfg', 'list', 'NB_Global')).toMatch(/nb_cfg\s+: 0/);
    expect(ovn('ovn-sbctl', servers.southbound, '--columns=nb_cfg', 'list', 'SB_Global')).toMatch(
      /nb_cfg\s+: 0/,
    );
  });

  test('starts what northd needs along with it', async () => {
    const servers = await started({ directory: freshDirectory(), parts: ['northd'] });
    expect(Object.keys(servers.pids)).toEqual(['northbound', 'southbound', 'northd']);
  });

  test('converts a database of an older schema', async () => {
    const directory = freshDirectory();
    const schema = JSON.parse(readFileSync('/usr/share/ovn/ovn-nb.ovsschema', 'utf8')) as {
      version: string;
      cksum?: string;
      tables: Record<string, unknown>;
    };
    delete schema.tables['DNS'];
    delete (schema.tables['Logical_Switch'] as { columns: Record<string, unknown> }).columns['dns_records'];
    delete schema.cksum;
    schema.version = '6.0.0';
    const schemaFile = path.join(directory, 'old.ovsschema');
    writeFileSync(schemaFile, JSON.stringify(schema));
    const database = path.join(directory, 'northbound.db');
    run('ovsdb-tool', ['create', database, schemaFile]);
    run('ovsdb-tool', [
      'transact',
      database,
      '["OVN_Northbound",{"op":"insert","table":"NB_Global","row":{"nb_cfg":7}}]',
    ]);
    const servers = await started({ directory, parts: ['northbound'] });
    expect(nbctl(servers, '--columns=nb_cfg', 'list', 'NB_Global')).toMatch(/nb_cfg\s+: 7/);
    expect(nbctl(servers, 'list', 'DNS')).toBe('');
  });

  test('puts sockets into a short place when the state directory has a long path', async () => {
    const directory = path.join(freshDirectory(), 'a'.repeat(60), 'b'.repeat(60));
    const servers = await started({ directory });
    cleanups.push(() => {
      rmSync(path.dirname(servers.redis.path), { recursive: true, force: true });
    });
    expect(Buffer.byteLength(servers.redis.path)).toBeLessThanOrEqual(107);
    expect(servers.redis.path.startsWith(directory)).toBe(false);
    nbctl(servers, '--wait=sb', 'sync');
    expect(readdirSync(directory)).toContain('northbound.db');
  });

  test('names the Debian packages of all that is not installed', async () => {
    const folder = freshDirectory();
    symlinkSync('/usr/bin/ovsdb-tool', path.join(folder, 'ovsdb-tool'));
    const refused = await startEmbedded({ directory: freshDirectory(), programFolders: [folder] });
    expect(refused).toMatchObject({
      ok: false,
      error: {
        code: 'BINARY_MISSING',
        message: 'not installed: redis-server, ovsdb-server, ovn-northd',
        hint: expect.stringContaining('redis-server openvswitch-common ovn-central') as unknown,
      },
    });
  });

  test('says so when the directory cannot be made', async () => {
    const file = path.join(freshDirectory(), 'file');
    writeFileSync(file, '');
    const refused = await startEmbedded({ directory: path.join(file, 'state') });
    expect(refused).toMatchObject({ ok: false, error: { code: 'DIRECTORY_UNUSABLE' } });
  });

  test('says so when a database is damaged, and leaves nothing running', async () => {
    const directory = freshDirectory();
    writeFileSync(path.join(directory, 'northbound.db'), 'not a database');
    const refused = await startEmbedded({ directory });
    expect(refused).toMatchObject({ ok: false, error: { code: 'DATABASE_UNUSABLE' } });
    expect(processesNaming(directory)).toEqual([]);
    expect(existsSync(path.join(directory, 'lock'))).toBe(false);
  });

  test('shows the log of a part that ends while starting', async () => {
    const directory = freshDirectory();
    mkdirSync(path.join(directory, 'redis', 'appendonlydir'), { recursive: true });
    writeFileSync(path.join(directory, 'redis', 'appendonlydir', 'appendonly.aof.manifest'), 'rubbish\n');
    const refused = await startEmbedded({ directory });
    expect(refused).toMatchObject({
      ok: false,
      error: { code: 'START_FAILED', message: expect.stringContaining('rubbish') as unknown },
    });
    expect(processesNaming(directory)).toEqual([]);
  });

  test('stops starting when it is aborted', async () => {
    const directory = freshDirectory();
    const refused = await startEmbedded({ directory }, AbortSignal.abort());
    expect(refused).toMatchObject({ ok: false, error: { code: 'ABORTED' } });
    expect(processesNaming(directory)).toEqual([]);
  });
});

describe('one directory', () => {
  test('is refused to a second start while the first runs', async () => {
    const directory = freshDirectory();
    const first = await started({ directory, parts: ['redis'] });
    const second = await startEmbedded({ directory, parts: ['redis'] });
    expect(second).toMatchObject({
      ok: false,
      error: { code: 'DIRECTORY_IN_USE', message: expect.stringContaining(String(process.pid)) as unknown },
    });
    expect(redis(first, 'ping')).toBe('PONG');
  });

  test('is one directory whatever path leads to it', async () => {
    const directory = freshDirectory();
    const link = path.join(freshDirectory(), 'link');
    symlinkSync(directory, link);
    await started({ directory, parts: ['redis'] });
    const second = await startEmbedded({ directory: link, parts: ['redis'] });
    expect(second).toMatchObject({ ok: false, error: { code: 'DIRECTORY_IN_USE' } });
  });

  test('is taken over when the pid in its lock belongs to another process by now', async () => {
    const directory = freshDirectory();
    writeFileSync(path.join(directory, 'lock'), `${process.ppid} 1\n`);
    const servers = await started({ directory, parts: ['redis'] });
    expect(redis(servers, 'ping')).toBe('PONG');
  });

  test('lets two directories run side by side', async () => {
    const [a, b] = await Promise.all([
      started({ directory: freshDirectory(), parts: ['redis'] }),
      started({ directory: freshDirectory(), parts: ['redis'] }),
    ]);
    redis(a, 'set', 'key', 'a');
    expect(redis(b, 'get', 'key')).toBe('');
  });
});

describe('a part that dies', () => {
  test.each(['redis', 'northbound', 'southbound', 'northd'] as const)(
    'is reported and started again: %s',
    async (part) => {
      const exits: unknown[] = [];
      const servers = await started({
        directory: freshDirectory(),
        onExit: (ended, exit) => exits.push({ part: ended, signal: exit.signal }),
      });
      const before = servers.pids[part] ?? 0;
      process.kill(before, 'SIGKILL');
      await until(() => (servers.pids[part] ?? before) !== before);
      expect(exits).toEqual([{ part, signal: 'SIGKILL' }]);
      await until(
        () =>
          spawnSync('ovn-nbctl', [`--db=${servers.northbound}`, '--timeout=1', '--wait=sb', 'sync'])
            .status === 0,
      );
      await until(
        () => spawnSync('redis-cli', ['-s', servers.redis.path, 'ping']).stdout.toString() === 'PONG\n',
      );
    },
  );

  test('is tried again with growing pauses, and not after stop()', async () => {
    const directory = freshDirectory();
    const pauses: (number | undefined)[] = [];
    const servers = await started({
      directory,
      parts: ['redis'],
      onExit: (_, exit) => pauses.push(exit.restartInMs),
    });
    writeFileSync(path.join(directory, 'redis', 'appendonlydir', 'appendonly.aof.manifest'), 'rubbish\n');
    process.kill(servers.pids.redis ?? 0, 'SIGKILL');
    await until(() => pauses.length === 4);
    expect(pauses).toEqual([100, 200, 400, 800]);
    await servers.stop();
    await sleep(1000);
    expect(pauses).toHaveLength(4);
  });
});

describe('stopping', () => {
  test('ends all, frees the directory and may be repeated', async () => {
    const directory = freshDirectory();
    const servers = await started({ directory });
    await servers.stop();
    await servers.stop();
    expect(processesNaming(directory)).toEqual([]);
    expect(servers.pids).toEqual({});
    expect(readdirSync(path.join(directory, 'run')).filter((file) => !file.endsWith('.ctl'))).toEqual([]);
    expect(existsSync(path.join(directory, 'lock'))).toBe(false);
  });
});

test('Ctrl-C in the terminal does not reach the servers: they have process groups of their own', async () => {
  const servers = await started({ directory: freshDirectory() });
  const groups = Object.values(servers.pids).map(processGroup);
  expect(groups).toHaveLength(4);
  expect(groups).not.toContain(processGroup(process.pid));
});

describe('a parent that is killed', () => {
  test('takes its servers along', async () => {
    const directory = freshDirectory();
    const parent = await startParent(directory);
    await kill9(parent);
    await until(() => processesNaming(directory).length === 0);
    const servers = await started({ directory });
    nbctl(servers, '--wait=sb', 'sync');
  });

  test('leaves servers that the next start recognises and ends', async () => {
    const directory = freshDirectory();
    const first = await started({ directory, parts: ['redis'] });
    await first.stop();
    // What a machine without setpriv leaves behind: the server, and its pid in our file.
    const socket = path.join(directory, 'run', 'redis.sock');
    const orphan = spawn(
      'redis-server',
      [
        '--port',
        '0',
        '--unixsocket',
        socket,
        '--dir',
        path.join(directory, 'redis'),
        '--set-proc-title',
        'no',
      ],
      { stdio: 'ignore' },
    );
    cleanups.push(() => kill9(orphan));
    await until(() => existsSync(socket));
    writeFileSync(path.join(directory, 'run', 'redis.pid'), `${orphan.pid}\n`);
    const events: string[] = [];
    const servers = await started({ directory, parts: ['redis'], log: (event) => events.push(event) });
    expect(events[0]).toBe('embedded.leftover-ended');
    await until(() => orphan.exitCode !== null);
    expect(servers.pids.redis).not.toBe(orphan.pid);
    expect(redis(servers, 'ping')).toBe('PONG');
  });

  test('leaves a pid file behind whose number is a stranger by now: the stranger lives on', async () => {
    const directory = freshDirectory();
    const elsewhere = await started({ directory: freshDirectory(), parts: ['redis'] });
    const stranger = spawn('sleep', ['1000'], { stdio: 'ignore' });
    cleanups.push(() => kill9(stranger));
    mkdirSync(path.join(directory, 'run'));
    writeFileSync(path.join(directory, 'run', 'redis.pid'), `${elsewhere.pids.redis}\n`);
    writeFileSync(path.join(directory, 'run', 'northd.pid'), `${stranger.pid}\n`);
    writeFileSync(path.join(directory, 'run', 'southbound.pid'), 'garbage\n');
    const servers = await started({ directory });
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    expect(redis(elsewhere, 'ping')).toBe('PONG');
    nbctl(servers, '--wait=sb', 'sync');
  });
});

test.runIf(process.getuid?.() === 0)('an ordinary user can run all of it', async () => {
  const directory = freshDirectory();
  chownSync(directory, 65534, 65534);
  const parent = await startParent(directory, 65534);
  expect(readFileSync(`/proc/${parent.pid}/status`, 'utf8')).toMatch(/^Uid:\s+65534/m);
  run('ovn-nbctl', [`--db=unix:${directory}/run/northbound.sock`, '--wait=sb', 'sync']);
});

function freshDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'emb-'));
  cleanups.push(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

async function started(options: EmbeddedOptions): Promise<Embedded> {
  const result = await startEmbedded(options);
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  cleanups.push(() => result.value.stop());
  return result.value;
}

/** Runs the servers under a node process of their own and waits until they serve. */
async function startParent(directory: string, uid?: number): Promise<ChildProcess> {
  const folder = freshDirectory();
  const script = await bundle(path.join(import.meta.dirname, 'embedded-parent.ts'), folder);
  if (uid !== undefined) chownSync(folder, uid, uid);
  const parent = spawn(process.execPath, [script, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  cleanups.push(async () => {
    await kill9(parent);
    await until(() => processesNaming(directory).length === 0);
  });
  for await (const line of createInterface({ input: parent.stdout })) {
    expect(JSON.parse(line)).toHaveProperty('pids.northd');
    break;
  }
  return parent;
}

async function kill9(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

function processGroup(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2];
}

/** Command lines of live servers that name the directory. */
function processesNaming(directory: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    })
    .filter((line) => /redis-server|ovsdb-server|ovn-northd/.test(line) && line.includes(directory));
}

function nbctl(servers: Embedded, ...words: readonly string[]): string {
  return ovn('ovn-nbctl', servers.northbound, ...words);
}

function ovn(tool: string, remote: string, ...words: readonly string[]): string {
  return run(tool, [`--db=${remote}`, '--timeout=30', ...words]);
}

function redis(servers: Embedded, ...words: readonly string[]): string {
  return run('redis-cli', ['-s', servers.redis.path, ...words]);
}

function run(command: string, words: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, words, { encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}: ${stderr}`);
  return stdout.trim();
}
