import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiParts } from '../../src/api/api-parts.ts';
import { parseListenAddress } from '../../src/api/listen-address.ts';
import { type ApiServer, serveApi } from '../../src/api/serve.ts';
import { acceptedKey, printAccepted } from '../../src/model/fence.ts';
import type { NorthboundDatabase } from '../../src/nb/northbound.ts';
import { renderPage, renderUnavailable } from '../../src/page/render-page.ts';
import { STYLE } from '../../src/page/style.ts';
import { type OpenQueue, openQueue } from '../../src/queue/open-queue.ts';
import { type OpenStatusStore, openStatusStore } from '../../src/queue/status-store.ts';
import { openTestNorthbound } from '../support/apply-harness.ts';
import { nbctl } from '../support/nbctl.ts';
import { type OvsdbServer, startOvsdbServer, until } from '../support/ovsdb-server.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { driftRecord, NOON, receipt, revisionRecord, sourceStatus, unitStatus } from './overview.ts';

const MANUAL = path.join(import.meta.dirname, '../../docs/operators/metrics.md');

let redis: RedisServer;
let ovsdb: OvsdbServer;
let sb: OvsdbServer;
let store: OpenStatusStore;
let queue: OpenQueue;
let northbound: NorthboundDatabase;
let directory: string;
let parts: ApiParts;
let api: ApiServer;
const events: string[] = [];

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'api-'));
  redis = await startRedisServer();
  ovsdb = await startOvsdbServer({ schemaFile: '/usr/share/ovn/ovn-nb.ovsschema' });
  sb = await startOvsdbServer({ schemaFile: '/usr/share/ovn/ovn-sb.ovsschema' });
  nbctl(ovsdb.endpoint, 'init');
  const options = { redis: { url: redis.path }, owner: 'test' };
  store = unwrap(await openStatusStore(options));
  queue = unwrap(await openQueue(options));
  northbound = await openTestNorthbound(ovsdb.endpoint, sb.endpoint);
  parts = {
    owner: 'test',
    store,
    queue,
    northbound,
    page: { render: renderPage, renderUnavailable, style: STYLE },
    clock: () => NOON + 5_000,
    log: (event) => events.push(event),
  };
  api = await served('127.0.0.1:0');
});

afterAll(async () => {
  await api.close();
  await northbound.close();
  await queue.close();
  await store.close();
  await ovsdb.stop();
  await sb.stop();
  await redis.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe('before anything was done', () => {
  test('the page and the JSON say that nothing is known', async () => {
    expect((await get('/')).body).toContain('The repository has not been looked at yet.');
    expect(JSON.parse((await get('/status.json')).body)).toEqual({ source: null, units: [] });
    expect(JSON.parse((await get('/history.json')).body)).toEqual([]);
    expect(JSON.parse((await get('/drift.json')).body)).toEqual([]);
  });

  test('it is alive, and not ready', async () => {
    expect((await get('/healthz')).status).toBe(200);
    const ready = await get('/readyz');
    expect(ready.status).toBe(503);
    expect(JSON.parse(ready.body)).toEqual({ ready: false, reason: 'no revision is in force yet' });
    expect(metric((await get('/metrics')).body, 'ovn_gitops_ready')).toBe('0');
  });
});

describe('with a revision in force', () => {
  beforeAll(async () => {
    const accepted = `external_ids:"${acceptedKey('test')}"="${printAccepted({ sequence: 3, commit: 'c'.repeat(40) })}"`;
    nbctl(ovsdb.endpoint, 'set', 'NB_Global', '.', accepted, 'nb_cfg=7', 'sb_cfg=7');
    sbctl('create', 'Chassis_Private', 'name=node-1', 'nb_cfg=7');
    sbctl('create', 'Chassis_Private', 'name=node-2', 'nb_cfg=6');
    await store.writeSource(sourceStatus({}));
    await store.writeUnit(unitStatus('a', {}));
    await store.writeUnit(unitStatus('b', { condition: 'Reconciling', convergence: undefined }));
    for (const sequence of [1, 2, 3]) {
      const { receipts: _, ...revision } = revisionRecord(sequence);
      await store.addRevision(revision);
    }
    await store.addReceipt(receipt('a'));
    await store.addReceipt(receipt('a', { cause: 'drift', at: NOON + 60_000, tookMs: 3_000 }));
    await store.addDrift(driftRecord({}));
    await store.addDrift(driftRecord({ outcome: 'reported', correctedAt: undefined }));
    await queue.ring([{ unit: unitStatus('a', {}).unit, cause: 'revision', seenAt: NOON }]);
    await until(() => northbound.convergence(7).chassis?.total === 2);
    await until(() => northbound.record(acceptedKey('test')) !== undefined);
  });

  test('it is ready', async () => {
    const ready = await get('/readyz');
    expect(ready.status).toBe(200);
    expect(JSON.parse(ready.body)).toEqual({ ready: true, reason: 'revision 3 is in force' });
  });

  test('the page shows it, and looks again soon while something is under way', async () => {
    const { body } = await get('/');
    expect(body).toContain('The network serves revision 3');
    expect(body).toContain('<meta http-equiv="refresh" content="3" />');
    expect((await get('/?refresh=off')).body).not.toContain('http-equiv');
  });

  test('the JSON is what the store has', async () => {
    expect(JSON.parse((await get('/status.json')).body)).toEqual(
      JSON.parse(JSON.stringify({ source: await store.source(), units: await store.units() })),
    );
    expect(sequences((await get('/history.json')).body)).toEqual([3, 2, 1]);
    expect(sequences((await get('/history.json?limit=2')).body)).toEqual([3, 2]);
    expect(JSON.parse((await get('/drift.json?limit=1')).body)).toHaveLength(1);
  });

  test('the metrics count it', async () => {
    const { body, headers } = await get('/metrics');
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    const expected = {
      ovn_gitops_ready: '1',
      ovn_gitops_northbound_live: '1',
      ovn_gitops_status_readable: '1',
      'ovn_gitops_source_condition{condition="Ready"}': '1',
      'ovn_gitops_source_condition{condition="Stalled"}': '0',
      ovn_gitops_source_fetch_age_seconds: '5',
      ovn_gitops_source_behind: '0',
      ovn_gitops_revision_sequence: '3',
      ovn_gitops_revision_written_seconds: '1.5',
      'ovn_gitops_units{condition="Ready"}': '1',
      'ovn_gitops_units{condition="Reconciling"}': '1',
      'ovn_gitops_units{condition="Stalled"}': '0',
      ovn_gitops_northd_caught_up: '1',
      ovn_gitops_chassis: '2',
      ovn_gitops_chassis_caught_up: '1',
      'ovn_gitops_rows_total{cause="revision",change="created"}': '1',
      'ovn_gitops_rows_total{cause="drift",change="deleted"}': '3',
      'ovn_gitops_drift_total{outcome="corrected"}': '1',
      'ovn_gitops_drift_total{outcome="reported"}': '1',
      'ovn_gitops_drift_total{outcome="contested"}': '0',
      'ovn_gitops_commit_seconds_bucket{le="0.025"}': '0',
      'ovn_gitops_commit_seconds_bucket{le="0.05"}': '1',
      'ovn_gitops_commit_seconds_bucket{le="2.5"}': '1',
      'ovn_gitops_commit_seconds_bucket{le="5"}': '2',
      'ovn_gitops_commit_seconds_bucket{le="+Inf"}': '2',
      ovn_gitops_commit_seconds_sum: '3.04',
      ovn_gitops_commit_seconds_count: '2',
      'ovn_gitops_queue_jobs{state="waiting"}': '1',
    };
    const found = Object.fromEntries(Object.keys(expected).map((name) => [name, metric(body, name)]));
    expect(found).toEqual(expected);
  });

  test('every line of the metrics is well-formed, and every metric is in the manual', async () => {
    const { body } = await get('/metrics');
    const sample = /^[a-z_]+(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})? [0-9.e+-]+$/;
    const lines = body.trimEnd().split('\n');
    expect(lines.filter((line) => !/^# (?:HELP|TYPE) [a-z_]+ \S/.test(line) && !sample.test(line))).toEqual(
      [],
    );
    const names = [...body.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    const manual = readFileSync(MANUAL, 'utf8');
    expect(
      [...manual.matchAll(/^\| `([a-z_]+)\S*` *\| (?:gauge|counter|histogram) /gm)].map(([, name]) => name),
    ).toEqual(names);
  });
});

describe('what is refused', () => {
  test.each([
    ['another path', 404, '/favicon.ico'],
    ['a path that goes up', 404, '/../package.json'],
    ['a path with a slash too many', 404, '/status.json/'],
    ['an encoded path', 404, '/%73tatus.json'],
    ['two slashes', 404, '//evil.example/'],
    ['an absolute target', 400, 'http://evil.example/'],
    ['a star', 400, '*'],
    ['a limit of nothing', 400, '/history.json?limit=0'],
    ['a limit beyond all', 400, '/history.json?limit=201'],
    ['a limit that is no number', 400, '/drift.json?limit=1e2'],
    ['an empty limit', 400, '/drift.json?limit='],
    ['a limit given twice', 400, '/drift.json?limit=1&limit=2'],
    ['a misspelt parameter', 400, '/drift.json?limt=1'],
    ['a parameter where there are none', 400, '/metrics?limit=1'],
    ['another way to refresh', 400, '/?refresh=<script>'],
    ['an address that is too long', 414, `/?refresh=${'x'.repeat(1_000)}`],
  ])('%s', async (_, status, target) => {
    const found = await get(target);
    expect(found.status).toBe(status);
    expect(found.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(Object.keys(JSON.parse(found.body) as object)).toEqual(['error', 'hint']);
    expect(found.body).not.toMatch(/evil|script|package/);
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('%s', async (method) => {
    const found = await ask(api.url, '/status.json', { method });
    expect([found.status, found.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  test('a request under a name that somebody else made to point here', async () => {
    for (const host of [
      'evil.example',
      '127.0.0.1.evil.example',
      'localhost.evil.example:80',
      '127.0.0.1@evil.example',
    ]) {
      expect((await ask(api.url, '/', { headers: { host } })).status, host).toBe(421);
    }
    for (const host of ['localhost:9', '127.0.0.1', '[::1]:8080', 'LOCALHOST']) {
      expect((await ask(api.url, '/', { headers: { host } })).status, host).toBe(200);
    }
  });

  test('headers without end', async () => {
    expect((await ask(api.url, '/', { headers: { x: 'x'.repeat(20_000) } })).status).toBe(431);
  });
});

test('HEAD answers as GET does, without the body', async () => {
  const [head, full] = [await ask(api.url, '/', { method: 'HEAD' }), await get('/')];
  expect(head.body).toBe('');
  expect(head.headers['content-length']).toBe(full.headers['content-length']);
});

test('every answer forbids to load, embed, keep and share it, and the page has the style that is allowed', async () => {
  for (const target of ['/', '/status.json', '/nothing', '/metrics']) {
    const { headers } = await get(target);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers['cache-control']).toBe('no-store');
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
  const { body, headers } = await get('/');
  const style = /<style>([\s\S]*?)<\/style>/.exec(body)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  expect(headers['content-security-policy']).toContain(`style-src 'sha256-${hash}'`);
});

describe('listening', () => {
  test('at a port that is taken fails, and says what to do', async () => {
    const { port } = new URL(api.url);
    const result = await serveApi(parts, { kind: 'tcp', host: '127.0.0.1', port: Number(port) });
    expect(result.ok ? '' : result.error).toBe(
      `127.0.0.1:${port} is in use; choose another port with --listen, or port 0 for a free one`,
    );
  });

  test('at an address of another machine fails, and says what to do', async () => {
    const result = await serveApi(parts, { kind: 'tcp', host: '192.0.2.1', port: 0 });
    expect(result.ok ? '' : result.error).toContain('192.0.2.1:0 is no address of this machine');
  });

  test('at a unix socket answers whoever may open it, under any name', async () => {
    const socket = path.join(directory, 'page.sock');
    const server = await served(socket);
    expect(server.url).toBe(`unix:${socket}`);
    expect((await ask(socket, '/healthz', { headers: { host: 'net.example' } })).status).toBe(200);
    expect(statSync(socket).mode & 0o022).toBe(0);
    const second = await serveApi(parts, { kind: 'unix', path: socket });
    expect(second.ok ? '' : second.error).toContain('is in use');
    await server.close();
  });

  test('replaces a socket that a dead process has left, and nothing else', async () => {
    const dead = path.join(directory, 'dead.sock');
    const leftover = net.createServer();
    await new Promise<void>((resolve) => leftover.listen(dead, resolve));
    // The name stays when the descriptor goes away underneath: move it aside and back.
    renameSync(dead, `${dead}.kept`);
    await new Promise((resolve) => leftover.close(resolve));
    renameSync(`${dead}.kept`, dead);
    const server = await served(dead);
    expect((await ask(dead, '/healthz')).status).toBe(200);
    await server.close();

    const file = path.join(directory, 'file');
    writeFileSync(file, 'mine');
    const refused = await serveApi(parts, { kind: 'unix', path: file });
    expect(refused.ok ? '' : refused.error).toContain('is in use or is no socket');
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  test.each([
    ['127.0.0.1:8080', { kind: 'tcp', host: '127.0.0.1', port: 8080 }],
    ['localhost:0', { kind: 'tcp', host: '127.0.0.1', port: 0 }],
    ['[::1]:8080', { kind: 'tcp', host: '::1', port: 8080 }],
    ['0.0.0.0:80', { kind: 'tcp', host: '0.0.0.0', port: 80 }],
    ['/run/page.sock', { kind: 'unix', path: '/run/page.sock' }],
    ['./page.sock', { kind: 'unix', path: './page.sock' }],
  ])('understands %s', (text, address) => {
    expect(parseListenAddress(text)).toEqual({ ok: true, value: address });
  });

  test.each(['', ':8080', '8080', '127.0.0.1', '127.0.0.1:70000', 'node-1:80', '::1:80', '*:80', '[x]:1'])(
    'does not guess what "%s" means: other machines are let in by a full address only',
    (text) => {
      expect(parseListenAddress(text).ok).toBe(false);
    },
  );

  test('ends with all its connections', async () => {
    const server = await served('127.0.0.1:0');
    const socket = net.connect(Number(new URL(server.url).port), '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.on('error', () => undefined);
    const ended = new Promise((resolve) => socket.once('close', resolve));
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n');
    await server.close();
    await ended;
    await expect(ask(server.url, '/healthz')).rejects.toThrow('ECONNREFUSED');
  });
});

describe('when parts are away', () => {
  test('Redis: the page and the JSON say so without naming it, it stays ready, and then it works again', async () => {
    await redis.kill9();
    const page = await get('/');
    expect(page.status).toBe(503);
    expect(page.body).toContain('The status can’t be read');
    expect(page.body).toContain('http-equiv="refresh"');
    for (const target of ['/status.json', '/history.json', '/drift.json']) {
      const found = await get(target);
      expect([found.status, found.body.includes(redis.path)]).toEqual([503, false]);
    }
    expect((await get('/readyz')).status).toBe(200);
    expect((await get('/healthz')).status).toBe(200);
    const { status, body } = await get('/metrics');
    expect([status, metric(body, 'ovn_gitops_status_readable')]).toEqual([200, '0']);
    expect(metric(body, 'ovn_gitops_units{condition="Ready"}')).toBeUndefined();
    expect(events).toContain('status not read');
    await redis.start();
    await until(async () => (await get('/')).status === 200);
  });

  test('the Northbound: not ready, with the reason', async () => {
    await ovsdb.kill9();
    await until(async () => (await get('/readyz')).status === 503);
    expect(JSON.parse((await get('/readyz')).body)).toEqual({
      ready: false,
      reason: 'the Northbound is away',
    });
    expect(metric((await get('/metrics')).body, 'ovn_gitops_northbound_live')).toBe('0');
    expect((await get('/')).status).toBe(200);
    await ovsdb.start();
    await until(async () => (await get('/readyz')).status === 200);
  });
});

interface Reply {
  readonly status: number | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

function get(target: string): Promise<Reply> {
  return ask(api.url, target);
}

/** Asks at a URL or at the path of a socket; the target goes out as it is. */
function ask(where: string, target: string, options: http.RequestOptions = {}): Promise<Reply> {
  const place = where.startsWith('http')
    ? { host: new URL(where).hostname, port: new URL(where).port }
    : { socketPath: where };
  return new Promise((resolve, reject) => {
    const request = http.request({ ...place, path: target, agent: false, ...options }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end();
  });
}

function metric(text: string, name: string): string | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line?.slice(name.length + 1);
}

function sequences(body: string): readonly number[] {
  return (JSON.parse(body) as { sequence: number }[]).map(({ sequence }) => sequence);
}

function sbctl(...command: readonly string[]): void {
  const done = spawnSync('ovn-sbctl', [`--db=${sb.endpoint}`, '--timeout=30', ...command], {
    encoding: 'utf8',
  });
  if (done.status !== 0) throw new Error(`ovn-sbctl ${command.join(' ')}: ${done.stderr}`);
}

async function served(listen: string): Promise<ApiServer> {
  return unwrap(await serveApi(parts, unwrap(parseListenAddress(listen))));
}

function unwrap<T>(result: { ok: true; value: T } | { ok: false; error: unknown }): T {
  if (result.ok) return result.value;
  throw new Error(JSON.stringify(result.error));
}
