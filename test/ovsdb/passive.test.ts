import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/ovsdb/index.ts';
import { type Certificates, makeCertificates } from '../support/certificates.ts';
import { type OvsdbServer, startOvsdbServer, until } from '../support/ovsdb-server.ts';

const SCHEMA_FILE = fileURLToPath(new URL('schemas/kinds.ovsschema', import.meta.url));

let dir: string;
let certificates: Certificates;
let server: OvsdbServer;
const opened: Database[] = [];

beforeEach(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'passive-'));
  certificates = makeCertificates(dir, ['server', 'client']);
  server = await startOvsdbServer({
    schemaFile: SCHEMA_FILE,
    arguments: certificates.serverArguments('server'),
  });
  await until(isControlled);
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Opens a database on passive remotes and has the server dial out to the first one. */
async function open(options: Partial<DatabaseOptions>): Promise<{ database: Database; target: string }> {
  let target = '';
  const dial = (remote: string, port?: unknown): void => {
    target = remote.replace(/^p(unix|tcp|ssl):.*$/s, (_, kind: string) =>
      kind === 'unix' ? remote.slice(1) : `${kind}:127.0.0.1:${String(port)}`,
    );
    server.appctl('ovsdb-server/add-remote', target);
  };
  const remotes = options.remotes ?? [];
  const opening = openDatabase({
    database: 'Kinds',
    remotes,
    log: (event, { remote, port }) => {
      if (event === 'listening') dial(String(remote), port);
    },
    ...options,
  });
  if (remotes[0]?.startsWith('punix') === true) dial(remotes[0]);
  const database = await opening;
  opened.push(database);
  return { database, target };
}

describe('a server that connects to its client', () => {
  test.each(['ptcp:0:127.0.0.1', 'punix', 'pssl:0:127.0.0.1'])('over %s is followed', async (kind) => {
    const remote = kind === 'punix' ? `punix:${path.join(dir, 'listen')}` : kind;
    const { database, target } = await open({ remotes: [remote], tls: certificates.tls('client') });
    expect(await database.transact([{ op: 'insert', table: 'Named', row: { name: 'a' } }])).toMatchObject({
      kind: 'committed',
    });
    const states: string[] = [];
    database.onState((state) => states.push(state));
    await server.restart();
    await until(isControlled);
    server.appctl('ovsdb-server/add-remote', target);
    await until(() => states.includes('live'));
    await database.resynced();
    expect(states).toEqual(['connecting', 'live']);
    expect(database.rows('Named').size).toBe(1);
  });

  test('is followed alone: who connects besides is sent away, and may come later', async () => {
    const { database, target } = await open({ remotes: ['ptcp:0:127.0.0.1'], probeIntervalMs: 60_000 });
    const port = Number(target.split(':')[2]);
    for (let n = 0; n < 3; n++) {
      const stranger = net.connect(port, '127.0.0.1');
      await new Promise((resolve) => stranger.once('close', resolve));
    }
    expect(database.state).toBe('live');
    await database.resynced();
  });

  test('is waited for past strangers that say nothing or have no certificate', async () => {
    const strangers: net.Socket[] = [];
    const { database } = await open({
      remotes: ['pssl:0:127.0.0.1'],
      tls: certificates.tls('client'),
      log: (event, { port }) => {
        if (event !== 'listening') return;
        for (const text of ['', 'GET / HTTP/1.0\r\n\r\n']) {
          const stranger = net.connect(port as number, '127.0.0.1', () => stranger.write(text));
          stranger.on('error', () => {});
          strangers.push(stranger);
        }
        setTimeout(() => {
          server.appctl('ovsdb-server/add-remote', `ssl:127.0.0.1:${String(port)}`);
        }, 50);
      },
    });
    expect(database.state).toBe('live');
    for (const stranger of strangers) stranger.destroy();
  });

  test('may be one of several remotes', async () => {
    const { database } = await open({
      remotes: [`punix:${path.join(dir, 'nobody')}`, server.endpoint],
      random: () => 0.99,
    });
    expect(database.state).toBe('live');
  });
});

describe('a listener', () => {
  test('takes the place of a socket file that a dead process left, but not of a living one', async () => {
    const socketPath = path.join(dir, 'listen');
    const first = await open({ remotes: [`punix:${socketPath}`] });
    await expect(openDatabase({ remotes: [`punix:${socketPath}`], database: 'Kinds' })).rejects.toMatchObject(
      { code: 'bad-remote', message: expect.stringContaining('EADDRINUSE') },
    );
    expect(first.database.state).toBe('live');
    const left = path.join(dir, 'left');
    await server.kill9();
    spawnSync(process.execPath, [
      '-e',
      `require('net').createServer().listen(${JSON.stringify(left)}, () => process.kill(process.pid, 'SIGKILL'))`,
    ]);
    await server.start();
    await until(isControlled);
    expect((await open({ remotes: [`punix:${left}`] })).database.state).toBe('live');
  });

  test('that cannot be had is an error, and leaves nothing open', async () => {
    const taken = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as net.AddressInfo;
    const free = path.join(dir, 'free');
    await expect(
      openDatabase({ remotes: [`punix:${free}`, `ptcp:${port}:127.0.0.1`], database: 'Kinds' }),
    ).rejects.toMatchObject({ code: 'bad-remote' });
    const again = net.createServer();
    await new Promise<void>((resolve) => again.listen(free, resolve));
    again.close();
    taken.close();
  });

  test('is gone when the opening is aborted or the database closed', async () => {
    const abort = new AbortController();
    let port = 0;
    const opening = openDatabase(
      {
        remotes: ['ptcp:0:127.0.0.1'],
        database: 'Kinds',
        log: (_, fields) => {
          port = fields['port'] as number;
          abort.abort();
        },
      },
      abort.signal,
    );
    await expect(opening).rejects.toMatchObject({ code: 'aborted' });
    expect(await refuses(port)).toBe(true);
    const { database, target } = await open({ remotes: ['ptcp:0:127.0.0.1'] });
    await database.close();
    expect(await refuses(Number(target.split(':')[2]))).toBe(true);
  });
});

/** Whether the server takes commands by now. */
function isControlled(): boolean {
  try {
    server.appctl('version');
    return true;
  } catch {
    return false;
  }
}

function refuses(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });
}
