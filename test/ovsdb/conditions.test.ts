import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Database,
  type DatabaseOptions,
  type RowChange,
  type WantedTables,
  openDatabase,
} from '../../src/ovsdb/index.ts';
import { type MessageProxy, startMessageProxy } from '../support/message-proxy.ts';
import { type OvsdbServer, startOvsdbServer, until } from '../support/ovsdb-server.ts';

const SCHEMA_FILE = fileURLToPath(new URL('schemas/kinds.ovsschema', import.meta.url));

let server: OvsdbServer;
let proxy: MessageProxy;
let writer: Database;
const opened: Database[] = [];

beforeEach(async () => {
  server = await startOvsdbServer({ schemaFile: SCHEMA_FILE });
  proxy = await startMessageProxy(server.socketPath);
  writer = await open({}, server.endpoint);
  await writer.transact(
    [
      ['a', 'x'],
      ['b', 'x'],
      ['c', 'y'],
    ].map(([name, note]) => ({
      op: 'insert' as const,
      table: 'Named',
      row: { name: name as string, note: note as string },
    })),
  );
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await proxy.stop();
  await server.stop();
});

async function open(tables: WantedTables, remote: string = proxy.endpoint): Promise<Database> {
  const options: DatabaseOptions = { remotes: [remote], database: 'Kinds', tables };
  const database = await openDatabase(options);
  opened.push(database);
  return database;
}

const noted = (...notes: readonly string[]): WantedTables => ({
  Named: { columns: ['name'], whereAny: notes.map((note) => ['note', '==', note] as const) },
});
const names = (database: Database): readonly string[] =>
  [...database.rows('Named').values()].map((row) => row['name'] as string).toSorted();
const note = (name: string, text: string): Promise<unknown> =>
  writer.transact([{ op: 'update', table: 'Named', where: [['name', '==', name]], row: { note: text } }]);
const sentMethods = (): readonly unknown[] => proxy.sent.map((message) => message['method']);

describe('conditions', () => {
  test('on a column that is not in the replica decide which rows are', async () => {
    const database = await open(noted('x'));
    expect(names(database)).toEqual(['a', 'b']);
    expect(Object.keys([...database.rows('Named').values()][0] ?? {})).toEqual(['_uuid', 'name']);
  });

  test('let rows come and go as they are met or not', async () => {
    const database = await open(noted('x'));
    const calls: (readonly RowChange[])[] = [];
    database.onChange((changes) => calls.push(changes));
    await note('c', 'x');
    await note('a', 'z');
    await database.resynced();
    expect(names(database)).toEqual(['b', 'c']);
    expect(calls.map(([change]) => [change?.before?.['name'], change?.after?.['name']])).toEqual([
      [undefined, 'c'],
      ['a', undefined],
    ]);
  });

  test('are alternatives; without any there is no row', async () => {
    expect(names(await open(noted('x', 'y')))).toEqual(['a', 'b', 'c']);
    expect(names(await open(noted()))).toEqual([]);
  });

  test('may be about numbers, references and maps', async () => {
    await writer.transact([
      { op: 'insert', table: 'Thing', row: { text: 'five', number: 5 } },
      { op: 'insert', table: 'Thing', row: { text: 'labelled', labels: ['map', [['k', 'v']]] } },
      { op: 'insert', table: 'Thing', row: { text: 'other', labels: ['map', [['k', 'w']]] } },
    ]);
    const database = await open({
      Thing: {
        columns: ['text'],
        whereAny: [
          ['number', '>', 4],
          ['labels', 'includes', ['map', [['k', 'v']]]],
        ],
      },
    });
    expect([...database.rows('Thing').values()].map((row) => row['text'] as string).toSorted()).toEqual([
      'five',
      'labelled',
    ]);
  });

  test.each<[string, WantedTables, string, RegExp]>([
    ['a column that is not there', { Named: { whereAny: [['nope', '==', 1]] } }, 'unsuitable-schema', /nope/],
    ['a value of another type', { Named: { whereAny: [['note', '==', 1]] } }, 'bad-condition', /Named\.note/],
    ['an order of texts', { Named: { whereAny: [['note', '<', 'x']] } }, 'bad-condition', /no order/],
    [
      'a text that the server alone finds wrong',
      { Thing: { whereAny: [['choice', '==', 'blue']] } },
      'bad-condition',
      /./,
    ],
  ])('with %s are refused', async (_, tables, code, message) => {
    await expect(open(tables)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    const database = await open(noted('x'));
    await expect(database.want(tables)).rejects.toMatchObject({ code });
    expect(names(database)).toEqual(['a', 'b']);
    await note('c', 'x');
    await database.resynced();
    expect(names(database)).toEqual(['a', 'b', 'c']);
  });

  test('survive a reconnect', async () => {
    const database = await open(noted('x'));
    const calls: (readonly RowChange[])[] = [];
    database.onChange((changes) => calls.push(changes));
    const states: string[] = [];
    database.onState((state) => states.push(state));
    proxy.cut();
    await until(() => states.includes('connecting'));
    await note('a', 'z');
    await database.resynced();
    expect(names(database)).toEqual(['b']);
    expect(calls.flat()).toHaveLength(1);
  });

  test('need a server that knows them', async () => {
    proxy.toServer = withoutMethods('monitor_cond_since', 'monitor_cond');
    await expect(open(noted('x'))).rejects.toMatchObject({ code: 'unsuitable-server' });
    const database = await open({ Named: 'all' });
    await expect(database.want(noted('x'))).rejects.toMatchObject({ code: 'unsuitable-server' });
    expect(names(database)).toEqual(['a', 'b', 'c']);
    expect(database.state).toBe('live');
  });
});

describe('other wishes of a live database', () => {
  test.each([[[]], [['monitor_cond_since']]])(
    'about conditions cost no copy (server without %j)',
    async (missing) => {
      proxy.toServer = withoutMethods(...missing);
      const database = await open(noted('x'));
      const calls: (readonly RowChange[])[] = [];
      database.onChange((changes) => calls.push(changes));
      const monitors = sentMethods().length;
      await database.want(noted('y'));
      expect(names(database)).toEqual(['c']);
      expect(sentMethods().slice(monitors)).toEqual(['monitor_cond_change']);
      expect(calls).toHaveLength(1);
      await database.want(noted());
      expect(names(database)).toEqual([]);
      await database.want({ Named: { columns: ['name'] } });
      expect(names(database)).toEqual(['a', 'b', 'c']);
      await note('a', 'q');
      await database.want(noted('q'));
      expect(names(database)).toEqual(['a']);
    },
  );

  test('about columns and tables bring what they lack, and report what comes and goes', async () => {
    await writer.transact([{ op: 'insert', table: 'Thing', row: { text: 't' } }]);
    const database = await open(noted('x'));
    const calls: (readonly RowChange[])[] = [];
    database.onChange((changes) => calls.push(changes));
    await database.want({ Named: ['name', 'note'], Thing: ['text'] });
    expect([...database.rows('Named').values()].map((row) => row['note'] as string).toSorted()).toEqual([
      'x',
      'x',
      'y',
    ]);
    expect(database.rows('Thing').size).toBe(1);
    expect(calls.flat().map(({ table, before, after }) => [table, !!before, !!after])).toEqual(
      expect.arrayContaining([
        ['Named', true, true],
        ['Named', false, true],
        ['Thing', false, true],
      ]),
    );
    await note('c', 'z');
    await database.resynced();
    calls.length = 0;
    await database.want({ Thing: ['text'] });
    const gone = calls.flat();
    expect(gone.map(({ before }) => before?.['note'] as string).toSorted()).toEqual(['x', 'x', 'z']);
    expect(gone.map(({ after }) => after)).toEqual([undefined, undefined, undefined]);
    expect(() => database.rows('Named')).toThrow('not in the replica');
    expect(database.state).toBe('live');
  });

  test('lose no change of a busy writer', async () => {
    const database = await open({ Named: ['name'] });
    const stop = new AbortController();
    const writing = (async () => {
      for (let n = 0; !stop.signal.aborted; n++) await note('a', `n${n % 50}`);
    })();
    for (let n = 0; n < 20; n++) {
      await database.want({ Named: 'all' });
      await database.want({ Named: { whereAny: [['note', '!=', 'n7']] } });
      await database.want({ Named: ['name'] });
    }
    await database.want({ Named: 'all' });
    stop.abort();
    await writing;
    await note('a', 'end');
    await database.resynced();
    expect([...database.rows('Named').values()].find((row) => row['name'] === 'a')?.['note']).toBe('end');
    expect(sentMethods().filter((method) => method === 'get_schema')).toHaveLength(2);
  });

  test('are carried over a cut in the middle of the change', async () => {
    const database = await open(noted('x'));
    proxy.toServer = (message) => {
      if (message['method'] !== 'monitor_cond_change') return message;
      proxy.toServer = (other) => other;
      proxy.cut();
      return undefined;
    };
    await database.want(noted('y'));
    expect(names(database)).toEqual(['c']);
    await database.resynced();
    expect(database.state).toBe('live');
  });

  test('can be given while nothing is connected, and given up', async () => {
    const database = await open(noted('x'));
    await proxy.stop();
    await until(() => database.state === 'connecting');
    const abort = new AbortController();
    const given = database.want({ Named: ['note'] }, abort.signal);
    const kept = database.want(noted('y'));
    abort.abort();
    await expect(given).rejects.toMatchObject({ code: 'aborted' });
    proxy = await startMessageProxy(server.socketPath, proxy.socketPath);
    await kept;
    expect(names(database)).toEqual(['c']);
  });

  test('end with the database', async () => {
    const database = await open(noted('x'));
    await proxy.stop();
    await until(() => database.state === 'connecting');
    const waiting = database.want(noted('y'));
    const settled = Promise.allSettled([waiting]);
    await database.close();
    expect(await settled).toMatchObject([{ status: 'rejected', reason: { code: 'closed' } }]);
    await expect(database.want(noted('y'))).rejects.toMatchObject({ code: 'closed' });
    proxy = await startMessageProxy(server.socketPath, proxy.socketPath);
  });
});

function withoutMethods(...methods: readonly string[]): MessageProxy['toServer'] {
  return (message, reply) => {
    if (!methods.includes(String(message['method']))) return message;
    reply({ id: message['id'], result: null, error: { error: 'unknown method', details: 'unknown method' } });
    return undefined;
  };
}
