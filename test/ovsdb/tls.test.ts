import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/ovsdb/index.ts';
import { type Certificates, makeCertificates } from '../support/certificates.ts';
import { type OvsdbServer, startOvsdbServer, until } from '../support/ovsdb-server.ts';

const SCHEMA_FILE = fileURLToPath(new URL('schemas/kinds.ovsschema', import.meta.url));

let dir: string;
let certificates: Certificates;
let server: OvsdbServer;
const opened: Database[] = [];
const servers: OvsdbServer[] = [];

beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'tls-'));
  certificates = makeCertificates(dir, ['server', 'client'], ['ca', 'stranger']);
  certificates.issue('intruder', { ca: 'stranger' });
  certificates.issue('expired', { days: -1 });
  server = await startSecure('server');
}, 120_000);

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
});

afterAll(async () => {
  for (const each of servers) await each.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function startSecure(name: string): Promise<OvsdbServer> {
  const started = await startOvsdbServer({
    schemaFile: SCHEMA_FILE,
    remotes: ['pssl:0:127.0.0.1'],
    arguments: certificates.serverArguments(name),
  });
  servers.push(started);
  return started;
}

async function open(
  tls: NonNullable<DatabaseOptions['tls']>,
  log?: DatabaseOptions['log'],
): Promise<Database> {
  const database = await openDatabase({
    remotes: [`ssl:127.0.0.1:${server.port}`],
    database: 'Kinds',
    tls,
    ...(log === undefined ? {} : { log }),
  });
  opened.push(database);
  return database;
}

/** Why a connection could not be made. */
async function reasonOf(remote: string, tls: NonNullable<DatabaseOptions['tls']>): Promise<string> {
  const abort = new AbortController();
  const reasons: string[] = [];
  const opening = openDatabase(
    {
      remotes: [remote],
      database: 'Kinds',
      tls,
      log: (event, fields) => {
        reasons.push(event === 'live' ? event : String(fields['reason']));
        abort.abort();
      },
    },
    abort.signal,
  );
  await expect(opening).rejects.toMatchObject({ code: 'aborted' });
  return reasons[0] ?? '';
}

describe('an ssl: remote', () => {
  test('is followed with certificates from files', async () => {
    const database = await open(certificates.tls('client'));
    expect(
      await database.transact([{ op: 'insert', table: 'Thing', row: { text: 'x'.repeat(3 << 20) } }]),
    ).toMatchObject({
      kind: 'committed',
    });
    const [row] = database.rows('Thing').values();
    expect(row).toMatchObject({ text: expect.stringMatching(/^x{3145728}$/) });
  });

  test('is followed with certificates as text', async () => {
    const { ca, cert, key } = certificates.tls('client');
    const texts = [ca, cert, key].map((file) => readFileSync(file, 'utf8')) as [string, string, string];
    const database = await open({ ca: texts[0], cert: texts[1], key: texts[2] });
    expect(database.state).toBe('live');
  });

  test.each([
    ['whose certificate another CA signed', 'client', 'stranger', 'is not signed by the given CA'],
    ['that does not trust the client', 'intruder', 'ca', 'our certificate'],
    ['that finds the client expired', 'expired', 'ca', 'our certificate'],
  ])('%s is not used, and the reason is clear', async (_, name, ca, reason) => {
    expect(await reasonOf(`ssl:127.0.0.1:${server.port}`, certificates.tls(name, ca))).toContain(reason);
  });

  test('whose certificate has expired is not used, and the reason is clear', async () => {
    const expired = await startSecure('expired');
    expect(await reasonOf(`ssl:127.0.0.1:${expired.port}`, certificates.tls('client'))).toContain(
      "the server's certificate has expired",
    );
  });

  test('that speaks no TLS is named as such', async () => {
    const plain = await startOvsdbServer({ schemaFile: SCHEMA_FILE, remotes: ['ptcp:0:127.0.0.1'] });
    servers.push(plain);
    expect(await reasonOf(`ssl:127.0.0.1:${plain.port}`, certificates.tls('client'))).toMatch(
      /does it speak TLS on this port/,
    );
  });

  test('needs files that can be read and belong together', async () => {
    const good = certificates.tls('client');
    for (const bad of [
      { ...good, ca: '/nowhere/ca.pem' },
      { ...good, key: certificates.tls('server').key },
    ]) {
      await expect(open(bad)).rejects.toMatchObject({ code: 'bad-tls' });
    }
  });
});

describe('certificates that are replaced', () => {
  test('are taken up by a live connection, when no transaction is under way', async () => {
    const reasons: unknown[] = [];
    const database = await open({ ...files(), renewalCheckMs: 20 }, (event, { reason }) => {
      if (event === 'disconnected') reasons.push(reason);
    });
    const waiting = database.transact([
      {
        op: 'wait',
        timeout: 600_000,
        table: 'Named',
        where: [],
        columns: ['name'],
        until: '!=',
        rows: [],
      },
    ]);
    await database.resynced();
    certificates.issue('renewed');
    const other = await open(certificates.tls('client'));
    await other.resynced();
    // Long after the files were looked at.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(database.state).toBe('live');
    expect(reasons).toEqual([]);
    await other.transact([{ op: 'insert', table: 'Named', row: { name: 'go' } }]);
    expect(await waiting).toMatchObject({ kind: 'committed' });
    await until(() => reasons.length > 0);
    expect(reasons).toEqual(['the TLS files were replaced']);
    await database.resynced();
    await other.transact([{ op: 'delete', table: 'Named', where: [] }]);
  });

  test('are waited for until they fit together', async () => {
    const reasons: unknown[] = [];
    const tls = files();
    const database = await open({ ...tls, renewalCheckMs: 20 }, (event, { reason }) => {
      if (event === 'disconnected') reasons.push(reason);
    });
    const [cert, key] = [readFileSync(tls.cert), readFileSync(tls.key)];
    certificates.issue('renewed');
    const [newCert, newKey] = [readFileSync(tls.cert), readFileSync(tls.key)];
    put(tls.key, key);
    put(tls.cert, cert);
    await until(() => database.state === 'live');
    reasons.length = 0;
    put(tls.cert, newCert);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(reasons).toEqual([]);
    expect(database.state).toBe('live');
    put(tls.key, newKey);
    await until(() => reasons.length > 0);
    expect(reasons).toEqual(['the TLS files were replaced']);
    await database.resynced();
  });

  test('are used by the next connection in any case', async () => {
    const tls = files();
    const database = await open({ ...tls, renewalCheckMs: 0 });
    certificates.issue('renewed', { ca: 'stranger' });
    await server.restart();
    await until(() => database.trouble?.includes('our certificate') === true);
    certificates.issue('renewed');
    await database.resynced();
    expect(database.state).toBe('live');
  });
});

test('a tcp: remote is followed', async () => {
  const tcp = await startOvsdbServer({ schemaFile: SCHEMA_FILE, remotes: ['ptcp:0:127.0.0.1'] });
  servers.push(tcp);
  const database = await openDatabase({ remotes: [`tcp:127.0.0.1:${tcp.port}`], database: 'Kinds' });
  expect(database.state).toBe('live');
  await database.close();
});

function files(): { readonly ca: string; readonly cert: string; readonly key: string } {
  certificates.issue('renewed');
  return certificates.tls('renewed');
}

/** Replaces a file as one step. */
function put(file: string, content: Buffer): void {
  writeFileSync(`${file}.new`, content);
  renameSync(`${file}.new`, file);
}
