import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Database,
  type DatabaseOptions,
  type RowChange,
  type Uuid,
  openDatabase,
  supportsClientUuid,
} from '../../src/ovsdb/index.ts';
import { type MessageProxy, startMessageProxy } from '../support/message-proxy.ts';
import { type OvsdbServer, startOvsdbServer, until } from '../support/ovsdb-server.ts';

const SCHEMA_FILE = fileURLToPath(new URL('schemas/kinds.ovsschema', import.meta.url));

let server: OvsdbServer;
let proxy: MessageProxy;
const opened: Database[] = [];

beforeEach(async () => {
  server = await startOvsdbServer({ schemaFile: SCHEMA_FILE });
  proxy = await startMessageProxy(server.socketPath);
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await proxy.stop();
  await server.stop();
});

async function open(options: Partial<DatabaseOptions> = {}, signal?: AbortSignal): Promise<Database> {
  const database = await openDatabase({ remotes: [server.endpoint], database: 'Kinds', ...options }, signal);
  opened.push(database);
  return database;
}

describe('a replica', () => {
  test('shows what another client commits, one call a transaction, defaults filled in', async () => {
    const [reader, writer] = [await open(), await open({ tables: {} })];
    const calls: (readonly RowChange[])[] = [];
    reader.onChange((changes) => calls.push(changes));
    await writer.transact([
      { op: 'insert', table: 'Thing', row: { text: 'a', parts: ['named-uuid', 'p'] } },
      { op: 'insert', table: 'Part', 'uuid-name': 'p', row: { name: 'p' } },
    ]);
    await reader.resynced();
    expect(calls).toHaveLength(1);
    expect(calls[0]?.map(({ table }) => table).toSorted()).toEqual(['Part', 'Thing']);
    const [thing] = reader.rows('Thing').values();
    const [part] = reader.rows('Part').values();
    expect(thing).toMatchObject({
      text: 'a',
      optional_text: undefined,
      texts: [],
      some_texts: [''],
      flag: false,
    });
    expect(thing?.['labels']).toEqual(new Map());
    expect(thing?.['parts']).toEqual([part?._uuid]);
  });

  test('has a change of its own before the outcome is known', async () => {
    const database = await open();
    for (let n = 0; n < 50; n++) {
      const outcome = await database.transact([{ op: 'insert', table: 'Named', row: { name: `n${n}` } }]);
      expect(outcome.kind).toBe('committed');
      expect(database.rows('Named').size).toBe(n + 1);
    }
  });

  test('knows who refers to a row, before and after changes', async () => {
    const database = await open();
    await database.transact([
      { op: 'insert', table: 'Thing', row: { text: 'a', parts: ['named-uuid', 'p'] } },
      {
        op: 'insert',
        table: 'Thing',
        row: {
          text: 'b',
          queues: [
            'map',
            [
              [0, ['named-uuid', 'p']],
              [5, ['named-uuid', 'p']],
            ],
          ],
        },
      },
      { op: 'insert', table: 'Part', 'uuid-name': 'p', row: { name: 'p' } },
    ]);
    const [part] = database.rows('Part').keys() as Iterable<Uuid>;
    const a = [...database.rows('Thing').values()].find((row) => row['text'] === 'a');
    const referrers = (): ReadonlySet<string> =>
      new Set(
        database.referrers(part!).map(({ uuid, column }) => `${uuid === a?._uuid ? 'a' : 'b'}.${column}`),
      );
    expect(referrers()).toEqual(new Set(['a.parts', 'b.queues']));
    await database.transact([
      { op: 'update', table: 'Thing', where: [['text', '==', 'a']], row: { parts: ['set', []] } },
    ]);
    expect(referrers()).toEqual(new Set(['b.queues']));
    await database.transact([{ op: 'delete', table: 'Thing', where: [['text', '==', 'b']] }]);
    expect(referrers()).toEqual(new Set());
    expect(database.rows('Part').size).toBe(0);
  });

  test('holds only the tables and columns that were asked for', async () => {
    const database = await open({ tables: { Named: ['name'] } });
    await database.transact([{ op: 'insert', table: 'Named', row: { name: 'n', note: 'x' } }]);
    const [row] = database.rows('Named').values();
    expect(Object.keys(row ?? {})).toEqual(['_uuid', 'name']);
    expect(() => database.rows('Thing')).toThrow('not in the replica');
  });

  test('is exact for 64-bit integers', async () => {
    const database = await open();
    await database.transact([
      {
        op: 'insert',
        table: 'Thing',
        row: { number: 9007199254740993n, numbers: ['set', [1, -9223372036854775808n]] },
      },
    ]);
    const [row] = database.rows('Thing').values();
    expect(row).toMatchObject({ number: 9007199254740993n, numbers: [-9223372036854775808n, 1] });
  });

  test('takes in a first copy of many megabytes', async () => {
    const writer = await open({ tables: {} });
    const operations = Array.from({ length: 12_000 }, (_, n) => ({
      op: 'insert' as const,
      table: 'Thing',
      row: { text: `ö ${n}`, texts: ['set', [`{"${n}"},`, 'x'.repeat(200)]] as const, number: n },
    }));
    expect((await writer.transact(operations)).kind).toBe('committed');
    for (const remotes of [[server.endpoint], [proxy.endpoint]]) {
      const reader = await open({ remotes });
      expect(reader.rows('Thing').size).toBe(12_000);
      const texts = [...reader.rows('Thing').values()].filter(
        (row) => row['text'] === `ö ${row['number'] as number}`,
      );
      expect(new Set(texts.map((row) => row['number'])).size).toBe(12_000);
    }
    // One update of this size comes as a single call, too.
    const reader = await open();
    const calls: number[] = [];
    reader.onChange((changes) => calls.push(changes.length));
    await writer.transact([
      {
        op: 'mutate',
        table: 'Thing',
        where: [],
        mutations: [['texts', 'insert', ['set', ['y'.repeat(100)]]]],
      },
    ]);
    await reader.resynced();
    expect(calls).toEqual([12_000]);
    expect([...reader.rows('Thing').values()].every((row) => (row['texts'] as string[]).length === 3)).toBe(
      true,
    );
  });
});

describe('the oldest and the older monitors', () => {
  test.each([
    ['monitor_cond', ['monitor_cond_since']],
    ['monitor', ['monitor_cond_since', 'monitor_cond']],
  ])('%s is used where the server knows nothing newer', async (method, unknown) => {
    proxy.toServer = (message, reply) => {
      if (!unknown.includes(String(message['method']))) return message;
      reply({
        id: message['id'],
        result: null,
        error: { error: 'unknown method', details: 'unknown method' },
      });
      return undefined;
    };
    const database = await open({ remotes: [proxy.endpoint] });
    expect(proxy.sent.map((message) => message['method'])).toContain(method);
    const insert = await database.transact([
      {
        op: 'insert',
        table: 'Thing',
        row: {
          text: 'a',
          texts: ['set', ['1', '2']],
          labels: [
            'map',
            [
              ['k', '1'],
              ['l', '2'],
            ],
          ],
        },
      },
    ]);
    expect(insert.kind).toBe('committed');
    await database.transact([
      {
        op: 'mutate',
        table: 'Thing',
        where: [],
        mutations: [
          ['texts', 'delete', '1'],
          ['labels', 'delete', ['set', ['l']]],
        ],
      },
    ]);
    const [row] = database.rows('Thing').values();
    expect(row).toMatchObject({ text: 'a', texts: ['2'], labels: new Map([['k', '1']]) });
    await database.transact([{ op: 'delete', table: 'Thing', where: [] }]);
    expect(database.rows('Thing').size).toBe(0);
  });

  test('a server without the _Server database is followed all the same', async () => {
    proxy.toServer = (message, reply) => {
      const [first] = message['params'] as readonly unknown[];
      if (first !== '_Server' && message['method'] !== 'set_db_change_aware') return message;
      reply({ id: message['id'], result: null, error: { error: 'unknown database' } });
      return undefined;
    };
    const database = await open({ remotes: [proxy.endpoint], leaderOnly: true });
    expect(database.state).toBe('live');
  });
});

describe('a lost reply', () => {
  test('is an unknown outcome; the repeat with the same uuid is refused as a duplicate', async () => {
    const database = await open({ remotes: [proxy.endpoint] });
    const uuid = '5cf7d8d7-1b5e-4a6c-8a52-0f5f5c2f8f10';
    const insert = { op: 'insert', table: 'Thing', uuid, row: { text: 'only once' } } as const;
    proxy.toClient = (message) => {
      if (message['result'] === null || !JSON.stringify(message).includes(uuid)) return message;
      proxy.cut();
      return undefined;
    };
    expect(await database.transact([insert])).toMatchObject({ kind: 'unknown' });
    proxy.toClient = (message) => message;
    await database.resynced();
    expect(database.row('Thing', uuid as Uuid)).toMatchObject({ text: 'only once' });
    expect(await database.transact([insert])).toMatchObject({
      kind: 'refused',
      error: 'duplicate uuid',
      operation: 0,
    });
    expect(database.rows('Thing').size).toBe(1);
  });

  test('while nothing is connected, nothing is sent', async () => {
    const database = await open({ remotes: [proxy.endpoint] });
    await proxy.stop();
    await until(() => database.state === 'connecting');
    expect(await database.transact([{ op: 'comment', comment: 'x' }])).toMatchObject({ kind: 'unsent' });
    await database.close();
    expect(await database.transact([{ op: 'comment', comment: 'x' }])).toMatchObject({ kind: 'unsent' });
    proxy = await startMessageProxy(server.socketPath);
  });

  test('a transaction that waits can be aborted and does not fire later', async () => {
    const database = await open();
    const abort = new AbortController();
    const wait = {
      op: 'wait',
      timeout: 600_000,
      table: 'Named',
      where: [['name', '==', 'go']],
      columns: ['name'],
      until: '==',
      rows: [{ name: 'go' }],
    } as const;
    const waiting = database.transact([wait, { op: 'insert', table: 'Named', row: { name: 'late' } }], {
      signal: abort.signal,
    });
    await database.resynced();
    abort.abort();
    expect(await waiting).toMatchObject({ kind: 'unknown' });
    await database.transact([{ op: 'insert', table: 'Named', row: { name: 'go' } }]);
    await database.resynced();
    expect([...database.rows('Named').values()].map((row) => row['name'])).toEqual(['go']);
    expect(await database.transact([wait], { signal: abort.signal })).toMatchObject({ kind: 'unsent' });
  });
});

describe('a reconnect', () => {
  test('reports only what really differs, and keeps the rows that are equal', async () => {
    const database = await open({ remotes: [proxy.endpoint] });
    const writer = await open();
    await writer.transact(
      ['keep', 'change', 'remove'].map((name) => ({
        op: 'insert' as const,
        table: 'Named',
        row: { name, note: 'x' },
      })),
    );
    await database.resynced();
    const byName = (name: string) => [...database.rows('Named').values()].find((row) => row['name'] === name);
    const [keep, change, remove] = ['keep', 'change', 'remove'].map(byName);
    const calls: (readonly RowChange[])[] = [];
    database.onChange((changes) => calls.push(changes));
    await proxy.stop();
    await writer.transact([
      { op: 'update', table: 'Named', where: [['name', '==', 'change']], row: { note: 'y' } },
      { op: 'delete', table: 'Named', where: [['name', '==', 'remove']] },
      { op: 'insert', table: 'Named', row: { name: 'add' } },
    ]);
    const restarted = server.restart();
    await until(() => database.state === 'connecting');
    await restarted;
    expect(calls).toEqual([]);
    // The proxy is gone: the same client finds the server when it listens there again.
    proxy = await startMessageProxy(server.socketPath, proxy.socketPath);
    await database.resynced();
    expect(calls).toHaveLength(1);
    expect(
      new Map(
        calls[0]?.map(({ before, after }) => [
          (after ?? before)?.['name'],
          [before?.['note'], after?.['note']],
        ]),
      ),
    ).toEqual(
      new Map([
        ['change', ['x', 'y']],
        ['remove', ['x', undefined]],
        ['add', [undefined, '']],
      ]),
    );
    expect(byName('keep')).toBe(keep);
    expect(calls[0]?.find(({ uuid }) => uuid === change?._uuid)?.before).toBe(change);
    expect(byName('remove')).toBeUndefined();
    expect(remove).toBeDefined();
  });

  test('a server that was killed and comes back is followed again', async () => {
    const database = await open();
    await database.transact([
      { op: 'insert', table: 'Named', row: { name: 'a' } },
      { op: 'commit', durable: true },
    ]);
    const states: string[] = [];
    database.onState((state) => states.push(state));
    await server.kill9();
    await until(() => database.state === 'connecting');
    await server.start();
    await database.resynced();
    expect(states).toEqual(['connecting', 'live']);
    expect(database.rows('Named').size).toBe(1);
  });

  test('an update that does not fit the replica leads to a complete copy, not to a crash', async () => {
    const database = await open({ remotes: [proxy.endpoint] });
    const writer = await open();
    await writer.transact([{ op: 'insert', table: 'Named', row: { name: 'a', note: '1' } }]);
    await database.resynced();
    const calls: (readonly RowChange[])[] = [];
    database.onChange((changes) => calls.push(changes));
    let isLost = false;
    proxy.toClient = (message) => {
      if (message['method'] !== 'update3' || isLost) return message;
      isLost = true;
      return undefined;
    };
    await writer.transact([{ op: 'insert', table: 'Named', row: { name: 'b', note: '1' } }]);
    await until(() => isLost);
    await writer.transact([{ op: 'update', table: 'Named', where: [], row: { note: '2' } }]);
    await until(() => database.rows('Named').size === 2);
    await database.resynced();
    expect([...database.rows('Named').values()].map((row) => row['note'])).toEqual(['2', '2']);
    expect(calls).toHaveLength(1);
  });

  test('a link that dies silently is noticed', async () => {
    const reasons: unknown[] = [];
    const database = await open({
      remotes: [proxy.endpoint],
      probeIntervalMs: 250,
      log: (event, { reason }) => event === 'disconnected' && reasons.push(reason),
    });
    proxy.freeze();
    await until(() => reasons.length > 0);
    expect(reasons[0]).toBe('the server is silent');
    proxy.thaw();
    await database.resynced();
  });

  test('a quiet link stays up as long as echoes come back', async () => {
    const database = await open({ remotes: [proxy.endpoint], probeIntervalMs: 1000 });
    const states: string[] = [];
    database.onState((state) => states.push(state));
    const echoes = (): number => proxy.sent.filter((message) => message['method'] === 'echo').length;
    await until(() => echoes() >= 2);
    expect(states).toEqual([]);
  });

  test('a schema that is converted under the client is taken over', async () => {
    const database = await open();
    await database.transact([{ op: 'insert', table: 'Named', row: { name: 'a' } }]);
    const calls: (readonly RowChange[])[] = [];
    database.onChange((changes) => calls.push(changes));
    const schema = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')) as {
      version: string;
      tables: { Named: { columns: Record<string, unknown> }; Part?: unknown; Thing?: unknown };
    };
    schema.version = '2.0.0';
    schema.tables.Named.columns['color'] = { type: 'string' };
    delete schema.tables.Part;
    delete schema.tables.Thing;
    const file = path.join(server.dir, 'new.ovsschema');
    writeFileSync(file, JSON.stringify(schema));
    const { status, stderr } = spawnSync('ovsdb-client', ['convert', server.endpoint, file], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
    await until(() => database.schema.version === '2.0.0' && database.state === 'live');
    expect([...database.rows('Named').values()]).toMatchObject([{ name: 'a', color: '' }]);
    expect(calls).toEqual([]);
    await database.transact([{ op: 'update', table: 'Named', where: [], row: { color: 'red' } }]);
    expect([...database.rows('Named').values()]).toMatchObject([{ name: 'a', color: 'red' }]);
  });
});

describe('opening', () => {
  test('says which tables and columns the schema lacks', async () => {
    await expect(open({ tables: { Named: ['name', 'nope'], Nowhere: 'all' } })).rejects.toMatchObject({
      code: 'unsuitable-schema',
      message: 'database Kinds 1.2.3 has no Named.nope, Nowhere',
    });
  });

  test('says that a database does not exist', async () => {
    await expect(open({ database: 'Nope' })).rejects.toMatchObject({ code: 'unknown-database' });
  });

  test('waits for a server that is not there yet, or until it is aborted', async () => {
    await server.kill9();
    const abort = new AbortController();
    const given = open({}, abort.signal);
    const waited = open();
    abort.abort();
    await expect(given).rejects.toMatchObject({ code: 'aborted' });
    await server.start();
    expect((await waited).state).toBe('live');
  });

  test('tries the other remotes', async () => {
    const database = await open({
      remotes: ['unix:/nowhere/a', server.endpoint, 'unix:/nowhere/b'],
      random: () => 0,
    });
    expect(database.state).toBe('live');
  });

  test('finds out whether rows may bring their uuid, and leaves nothing behind', async () => {
    const database = await open({ remotes: [proxy.endpoint] });
    expect(await supportsClientUuid(database)).toBe(true);
    const count = proxy.sent.length;
    expect(await supportsClientUuid(database)).toBe(true);
    expect(proxy.sent).toHaveLength(count);
    expect(database.rows('Thing').size).toBe(0);
  });
});

describe('closing', () => {
  test('ends every wait', async () => {
    const database = await open();
    await server.kill9();
    await until(() => database.state === 'connecting');
    const waits = [database.resynced(), database.lock('l').then((lock) => lock.whenOwned())];
    const settled = Promise.allSettled(waits);
    await database.close();
    expect(
      (await settled).map((each) => each.status === 'rejected' && (each.reason as { code: string }).code),
    ).toEqual(['closed', 'closed']);
    await expect(database.resynced()).rejects.toMatchObject({ code: 'closed' });
    await expect(database.lock('l')).rejects.toMatchObject({ code: 'closed' });
    await server.start();
  });

  test('leaves no timer and no socket', async () => {
    await until(() => !process.getActiveResourcesInfo().includes('ConnectWrap'));
    const before = inUse().length;
    const database = await open({ probeIntervalMs: 60_000 });
    await database.transact([{ op: 'comment', comment: 'x' }]);
    expect(inUse().length).toBeGreaterThan(before);
    await database.close();
    await until(() => inUse().length <= before);
  });
});

/** Sockets and timers of this process. */
function inUse(): readonly string[] {
  return process
    .getActiveResourcesInfo()
    .filter((resource) => resource === 'PipeWrap' || resource === 'Timeout');
}
