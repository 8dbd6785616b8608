import net from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fetchSchema, listDatabases, parseSchema, requestOnce } from '../../src/ovsdb/index.ts';
import { type OvsdbServer, startOvsdbServer, until } from '../support/ovsdb-server.ts';

const SCHEMA_FILE = fileURLToPath(new URL('schemas/kinds.ovsschema', import.meta.url));

let server: OvsdbServer;

beforeEach(async () => {
  server = await startOvsdbServer({ schemaFile: SCHEMA_FILE });
});

afterEach(async () => {
  await server.stop();
});

test('names the databases of a server', async () => {
  expect((await listDatabases(server.endpoint)).toSorted()).toEqual(['Kinds', '_Server']);
});

test('fetches a schema with every digit', async () => {
  const json = await fetchSchema(server.endpoint, 'Kinds');
  const schema = parseSchema(json);
  expect(schema).toMatchObject({ ok: true, value: { name: 'Kinds', version: '1.2.3' } });
  if (!schema.ok) return;
  const number = schema.value.tables.get('Thing')?.columns.get('optional_number');
  expect(number?.key).toMatchObject({ minimum: -10 });
  await expect(fetchSchema(server.endpoint, 'Nope')).rejects.toMatchObject({ code: 'unknown-database' });
});

test('sends any request', async () => {
  expect(await requestOnce(server.endpoint, 'echo', ['x', 9007199254740993n])).toEqual([
    'x',
    9007199254740993n,
  ]);
  await expect(requestOnce(server.endpoint, 'nope', [])).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('unknown method'),
  });
});

test('fails where nobody answers, and does not try again', async () => {
  const gone = `unix:${server.dir}/nobody`;
  await expect(listDatabases(gone)).rejects.toMatchObject({ code: 'unreachable' });
  await expect(listDatabases('nonsense')).rejects.toMatchObject({ code: 'bad-remote' });
  await expect(listDatabases('ssl:127.0.0.1:1')).rejects.toMatchObject({ code: 'bad-tls' });
});

test('can be aborted while the server keeps silent', async () => {
  const sockets: net.Socket[] = [];
  const silent = net.createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as net.AddressInfo;
  const abort = new AbortController();
  const asking = listDatabases(`tcp:127.0.0.1:${port}`, {}, abort.signal);
  const settled = Promise.allSettled([asking]);
  await until(() => sockets.length > 0);
  abort.abort();
  expect(await settled).toMatchObject([{ status: 'rejected', reason: { code: 'aborted' } }]);
  silent.close();
});

test('takes a server that dials out', async () => {
  const remote = `punix:${server.dir}/listen`;
  const asking = listDatabases(remote);
  await until(() => {
    try {
      server.appctl('ovsdb-server/add-remote', remote.slice(1));
      return true;
    } catch {
      return false;
    }
  });
  expect(await asking).toContain('Kinds');
});
