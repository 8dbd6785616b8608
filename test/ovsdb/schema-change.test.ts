import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Database,
  type DatabaseOptions,
  type RowChange,
  openDatabase,
  parseJson,
  stringifyJson,
} from '../../src/ovsdb/index.ts';
import { type MessageProxy, startMessageProxy } from '../support/message-proxy.ts';
import { type OvsdbServer, startOvsdbServer, until } from '../support/ovsdb-server.ts';

const SCHEMA_FILE = fileURLToPath(new URL('schemas/kinds.ovsschema', import.meta.url));

interface SchemaJson {
  version: string;
  tables: Record<string, { columns: Record<string, unknown> }>;
}

let server: OvsdbServer;
let proxy: MessageProxy;
let database: Database;
const changes: RowChange[] = [];
const events: string[] = [];

beforeEach(async () => {
  server = await startOvsdbServer({ schemaFile: SCHEMA_FILE });
  proxy = await startMessageProxy(server.socketPath);
});

afterEach(async () => {
  await database.close();
  await proxy.stop();
  await server.stop();
});

async function follow(options: Partial<DatabaseOptions> = {}): Promise<void> {
  database = await openDatabase({ remotes: [proxy.endpoint], database: 'Kinds', ...options });
  changes.length = 0;
  events.length = 0;
  database.onSchema((schema) => events.push(`schema ${schema.version}`));
  database.onState((state) => events.push(state));
  database.onChange((rows) => {
    events.push('changes');
    changes.push(...rows);
  });
}

/** Converts the database with `ovsdb-client convert`. */
function convert(version: string, edit: (tables: SchemaJson['tables']) => void): void {
  const schema = parseJson(readFileSync(SCHEMA_FILE, 'utf8')) as SchemaJson;
  schema.version = version;
  edit(schema.tables);
  const file = path.join(server.dir, 'new.ovsschema');
  writeFileSync(file, stringifyJson(schema));
  const { stderr } = spawnSync('ovsdb-client', ['convert', server.endpoint, file], { encoding: 'utf8' });
  expect(stderr).toBe('');
}

const connections = (): number => proxy.sent.filter(({ method }) => method === 'set_db_change_aware').length;
const named = (): readonly unknown[] => [...database.rows('Named').values()];

describe('a conversion under a live client', () => {
  test('is taken over on the same connection, with nothing reported that did not change', async () => {
    await follow();
    await database.transact([
      { op: 'insert', table: 'Named', row: { name: 'a' } },
      { op: 'insert', table: 'Thing', row: { text: 't' } },
    ]);
    const lock = await database.lock('writer');
    events.length = changes.length = 0;
    convert('2.0.0', (tables) => {
      tables['Named']!.columns['color'] = { type: 'string' };
    });
    await until(() => events.includes('live'));
    expect(events).toEqual(['connecting', 'schema 2.0.0', 'live']);
    expect(connections()).toBe(1);
    expect(lock.owned).toBe(true);
    expect(named()).toMatchObject([{ name: 'a', color: '' }]);
    expect(
      await database.transact([
        { op: 'assert', lock: 'writer' },
        { op: 'update', table: 'Named', where: [], row: { color: 'red' } },
      ]),
    ).toMatchObject({ kind: 'committed' });
    expect(named()).toMatchObject([{ name: 'a', color: 'red' }]);
  });

  test('that takes a table away reports its rows as gone', async () => {
    await follow();
    await database.transact([
      { op: 'insert', table: 'Named', row: { name: 'a' } },
      { op: 'insert', table: 'Thing', row: { text: 't' } },
    ]);
    events.length = changes.length = 0;
    convert('3.0.0', (tables) => {
      delete tables['Thing'];
      delete tables['Part'];
    });
    await until(() => events.includes('live'));
    expect(events).toEqual(['connecting', 'schema 3.0.0', 'changes', 'live']);
    expect(changes.map(({ table, before, after }) => [table, before?.['text'], after])).toEqual([
      ['Thing', 't', undefined],
    ]);
    expect(() => database.rows('Thing')).toThrow('not in the replica');
  });

  test('keeps conditions', async () => {
    await follow({ tables: { Named: { columns: ['name'], whereAny: [['note', '==', 'x']] } } });
    await database.transact([
      { op: 'insert', table: 'Named', row: { name: 'a', note: 'x' } },
      { op: 'insert', table: 'Named', row: { name: 'b', note: 'y' } },
    ]);
    convert('2.0.0', () => {});
    await until(() => database.schema.version === '2.0.0' && database.state === 'live');
    expect(named()).toMatchObject([{ name: 'a' }]);
  });

  test('that takes a wanted column away is waited out, and said', async () => {
    await follow({ tables: { Named: ['name', 'note'] } });
    await database.transact([{ op: 'insert', table: 'Named', row: { name: 'a', note: 'x' } }]);
    events.length = 0;
    convert('2.0.0', (tables) => {
      delete tables['Named']!.columns['note'];
    });
    await until(() => database.trouble?.includes('2.0.0 has no Named.note') === true);
    expect(database.state).toBe('connecting');
    expect(named()).toMatchObject([{ name: 'a', note: 'x' }]);
    expect(await database.transact([{ op: 'comment', comment: 'x' }])).toMatchObject({ kind: 'unsent' });
    convert('3.0.0', () => {});
    await database.resynced();
    expect(database.trouble).toBeUndefined();
    expect(named()).toMatchObject([{ name: 'a', note: '' }]);
    expect(events).toEqual(['connecting', 'schema 3.0.0', 'changes', 'live']);
  });

  test('that takes a wanted column away is over when the client wants less', async () => {
    await follow({ tables: { Named: ['name', 'note'] } });
    await database.transact([{ op: 'insert', table: 'Named', row: { name: 'a', note: 'x' } }]);
    convert('2.0.0', (tables) => {
      delete tables['Named']!.columns['note'];
    });
    await until(() => database.trouble?.includes('has no Named.note') === true);
    await database.want({ Named: ['name'] });
    expect(database.state).toBe('live');
    expect(database.schema.version).toBe('2.0.0');
    expect(named()).toEqual([{ _uuid: expect.any(String), name: 'a' }]);
  });

  test('just before the monitor began is noticed', async () => {
    proxy.toServer = (message) => {
      if (message['method'] === 'monitor_cond_since' && database === undefined) {
        proxy.toServer = (other) => other;
        convert('2.0.0', (tables) => {
          tables['Named']!.columns['color'] = { type: 'string' };
        });
      }
      return message;
    };
    database = undefined as unknown as Database;
    await follow();
    expect(database.schema.version).toBe('2.0.0');
    await database.transact([{ op: 'insert', table: 'Named', row: { name: 'a', color: 'red' } }]);
    expect(named()).toMatchObject([{ color: 'red' }]);
  });

  test('cancels what is under way: the outcome is unknown', async () => {
    await follow();
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
    convert('2.0.0', () => {});
    expect(await waiting).toMatchObject({ kind: 'unknown' });
    await until(() => database.schema.version === '2.0.0' && database.state === 'live');
  });

  test('ten times in a row ends with the last schema and every row', async () => {
    await follow();
    await database.transact([{ op: 'insert', table: 'Named', row: { name: 'a' } }]);
    for (let n = 1; n <= 10; n++) {
      convert(`2.0.${n}`, (tables) => {
        tables['Named']!.columns[`column_${n}`] = { type: 'string' };
      });
    }
    await until(() => database.schema.version === '2.0.10' && database.state === 'live');
    expect(named()).toMatchObject([{ name: 'a', column_10: '' }]);
  });
});

describe('a monitor that the server cancels', () => {
  test('is asked for again, and nothing that was missed stays old', async () => {
    await follow();
    const writer = await openDatabase({ remotes: [server.endpoint], database: 'Kinds', tables: {} });
    await writer.transact([{ op: 'insert', table: 'Named', row: { name: 'a', note: '1' } }]);
    await database.resynced();
    events.length = changes.length = 0;
    // The database goes and comes back on the same connection, as it does when an operator replaces it.
    server.appctl('ovsdb-server/remove-db', 'Kinds');
    await until(() => events.includes('connecting'));
    expect(database.trouble).toBeDefined();
    server.appctl('ovsdb-server/add-db', server.file);
    await writer.resynced();
    await writer.transact([{ op: 'update', table: 'Named', where: [], row: { note: '2' } }]);
    await until(() => named().some((row) => (row as { note: string }).note === '2'));
    await database.resynced();
    expect(events[0]).toBe('connecting');
    expect(changes).toHaveLength(1);
    await writer.close();
  });

  test('by its id alone is asked for again on the same connection', async () => {
    await follow();
    await database.transact([{ op: 'insert', table: 'Named', row: { name: 'a', note: '1' } }]);
    events.length = 0;
    const monitor = proxy.sent.find(({ method }) => method === 'monitor_cond_since');
    const [, id] = (monitor?.['params'] ?? []) as readonly unknown[];
    let echo: unknown;
    proxy.toServer = (message, reply) => {
      if (message['method'] !== 'echo' || echo !== undefined) return message;
      echo = message['id'];
      reply({ id: null, method: 'monitor_canceled', params: [id] });
      return message;
    };
    await database.resynced();
    expect(events).toEqual(['connecting', 'live']);
    expect(connections()).toBe(1);
    await database.transact([{ op: 'update', table: 'Named', where: [], row: { note: '2' } }]);
    expect(named()).toMatchObject([{ note: '2' }]);
  });
});
