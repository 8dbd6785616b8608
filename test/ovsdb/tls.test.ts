import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/ovsdb/index.ts';
import { type OvsdbServer, startOvsdbServer } from '../support/ovsdb-server.ts';

const SCHEMA_FILE = fileURLToPath(new URL('schemas/kinds.ovsschema', import.meta.url));

let dir: string;
let server: OvsdbServer;
const pem = (name: string): string => path.join(dir, name);

beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'tls-'));
  for (const ca of ['ca', 'stranger']) {
    openssl(
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-subj',
      `/CN=${ca}`,
      '-days',
      '1',
      '-keyout',
      pem(`${ca}.key`),
      '-out',
      pem(`${ca}.pem`),
    );
  }
  for (const [name, ca] of [
    ['server', 'ca'],
    ['client', 'ca'],
    ['intruder', 'stranger'],
  ] as const) {
    openssl(
      'req',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-subj',
      `/CN=${name}`,
      '-keyout',
      pem(`${name}.key`),
      '-out',
      pem(`${name}.csr`),
    );
    openssl(
      'x509',
      '-req',
      '-in',
      pem(`${name}.csr`),
      '-CA',
      pem(`${ca}.pem`),
      '-CAkey',
      pem(`${ca}.key`),
      '-CAcreateserial',
      '-days',
      '1',
      '-out',
      pem(`${name}.pem`),
    );
  }
  server = await startOvsdbServer({
    schemaFile: SCHEMA_FILE,
    remotes: ['pssl:0:127.0.0.1'],
    arguments: [
      `--private-key=${pem('server.key')}`,
      `--certificate=${pem('server.pem')}`,
      `--ca-cert=${pem('ca.pem')}`,
    ],
  });
}, 120_000);

afterAll(async () => {
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

describe('an ssl: remote', () => {
  test('is followed with certificates from files', async () => {
    const tls = { ca: pem('ca.pem'), cert: pem('client.pem'), key: pem('client.key') };
    const database = await openDatabase({
      remotes: [`ssl:127.0.0.1:${server.port}`],
      database: 'Kinds',
      tls,
    });
    expect(
      await database.transact([{ op: 'insert', table: 'Thing', row: { text: 'x'.repeat(3 << 20) } }]),
    ).toMatchObject({
      kind: 'committed',
    });
    const [row] = database.rows('Thing').values();
    expect(row).toMatchObject({ text: expect.stringMatching(/^x{3145728}$/) });
    await database.close();
  });

  test('is followed with certificates as text', async () => {
    const [ca, cert, key] = ['ca.pem', 'client.pem', 'client.key'].map((name) =>
      readFileSync(pem(name), 'utf8'),
    );
    const tls = { ca: ca!, cert: cert!, key: key! };
    const database = await openDatabase({
      remotes: [`ssl:127.0.0.1:${server.port}`],
      database: 'Kinds',
      tls,
    });
    expect(database.state).toBe('live');
    await database.close();
  });

  test.each([
    ['whose certificate another CA signed', 'stranger.pem', 'client', /self-signed|unable to|certificate/],
    ['that does not trust the client', 'ca.pem', 'intruder', /alert|closed|reset|EPIPE/i],
  ])('%s is not used', async (_, ca, name, reason) => {
    const abort = new AbortController();
    const reasons: string[] = [];
    const opening = openDatabase(
      {
        remotes: [`ssl:127.0.0.1:${server.port}`],
        database: 'Kinds',
        tls: { ca: pem(ca), cert: pem(`${name}.pem`), key: pem(`${name}.key`) },
        log: (event, fields) => {
          reasons.push(event === 'live' ? event : String(fields['reason']));
          abort.abort();
        },
      },
      abort.signal,
    );
    await expect(opening).rejects.toMatchObject({ code: 'aborted' });
    expect(reasons[0]).toMatch(reason);
  });

  test('needs files that can be read and belong together', async () => {
    const remotes = [`ssl:127.0.0.1:${server.port}`];
    const good = { ca: pem('ca.pem'), cert: pem('client.pem'), key: pem('client.key') };
    for (const bad of [
      { ...good, ca: '/nowhere/ca.pem' },
      { ...good, key: pem('server.key') },
    ]) {
      await expect(openDatabase({ remotes, database: 'Kinds', tls: bad })).rejects.toMatchObject({
        code: 'bad-tls',
      });
    }
  });
});

test('a tcp: remote is followed', async () => {
  const tcp = await startOvsdbServer({ schemaFile: SCHEMA_FILE, remotes: ['ptcp:0:127.0.0.1'] });
  const database = await openDatabase({ remotes: [`tcp:127.0.0.1:${tcp.port}`], database: 'Kinds' });
  expect(database.state).toBe('live');
  await database.close();
  await tcp.stop();
});

function openssl(...arguments_: readonly string[]): void {
  const { status, stderr } = spawnSync('openssl', arguments_, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}
