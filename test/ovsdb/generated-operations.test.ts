import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Database,
  openDatabase,
  rowName,
  type RowUuid,
  typed,
  type TypedDatabase,
  TypedOperations,
} from '../../src/ovsdb/index.ts';
import { compareText } from '../../src/lib/order.ts';
import { type OvsdbServer, startOvsdbServer } from '../support/ovsdb-server.ts';

/** As `generateTypes` writes them. */
interface Tables {
  readonly Logical_Switch: {
    readonly row: {
      readonly _uuid: RowUuid<'Logical_Switch'>;
      readonly name: string;
      readonly ports: readonly RowUuid<'Logical_Switch_Port'>[];
      readonly external_ids: ReadonlyMap<string, string>;
    };
    readonly insert: {
      readonly name?: string;
      readonly ports?: readonly (RowUuid<'Logical_Switch_Port'> | ReturnType<typeof portName>)[];
      readonly external_ids?: ReadonlyMap<string, string>;
    };
  };
  readonly Logical_Switch_Port: {
    readonly row: {
      readonly _uuid: RowUuid<'Logical_Switch_Port'>;
      readonly name: string;
      readonly tag: number | undefined;
      readonly addresses: readonly string[];
    };
    readonly insert: { readonly name?: string; readonly tag?: number | undefined };
  };
  readonly NB_Global: {
    readonly row: { readonly _uuid: RowUuid<'NB_Global'>; readonly nb_cfg: number | bigint };
    readonly insert: { readonly nb_cfg?: number | bigint };
  };
}

const portName = rowName<'Logical_Switch_Port'>;

let server: OvsdbServer;
let database: Database;
let nb: TypedDatabase<Tables>;
let write: TypedOperations<Tables>;

beforeAll(async () => {
  server = await startOvsdbServer({ schemaFile: '/usr/share/ovn/ovn-nb.ovsschema' });
  database = await openDatabase({ remotes: [server.endpoint], database: 'OVN_Northbound' });
  nb = typed<Tables>(database);
  write = new TypedOperations<Tables>(nb.schema);
});

afterAll(async () => {
  await database?.close();
  await server?.stop();
});

function switchNamed(name: string): Tables['Logical_Switch']['row'] {
  const found = [...nb.rows('Logical_Switch').values()].find((row) => row.name === name);
  if (found === undefined) throw new Error(`no switch ${name}`);
  return found;
}

test('the typed view is the database itself', () => {
  expect(nb).toBe(database);
});

test('operations of every kind reach a real server as they were meant', async () => {
  const [one, uuid] = [portName('one'), randomUUID() as RowUuid<'Logical_Switch_Port'>];
  const seen: string[] = [];
  const stop = nb.onChange((changes) => {
    for (const change of changes) if (change.table === 'Logical_Switch') seen.push(change.after?.name ?? '');
  });
  expect(
    await nb.transact([
      write.insert('Logical_Switch_Port', { name: 'p1', tag: 5 }, { name: one }),
      write.insert('Logical_Switch_Port', { name: 'p2', tag: undefined }, { uuid }),
      write.insert('Logical_Switch', {
        name: 'web',
        ports: [one, uuid],
        external_ids: new Map([['a', '1']]),
      }),
      write.insert('NB_Global', {}),
    ]),
  ).toMatchObject({ kind: 'committed' });
  const web = switchNamed('web');
  expect(seen).toEqual(['web']);
  stop();
  expect(
    web.ports.map((port) => nb.row('Logical_Switch_Port', port)?.name ?? '').toSorted(compareText),
  ).toEqual(['p1', 'p2']);
  expect(nb.row('Logical_Switch_Port', uuid)?.tag).toBeUndefined();

  const changed = await nb.transact([
    write.wait('Logical_Switch', [['_uuid', '==', web._uuid]], ['name', 'external_ids'], '==', [web]),
    write.mutate(
      'Logical_Switch',
      [['name', '==', 'web']],
      [
        ['ports', 'delete', [uuid]],
        ['external_ids', 'insert', new Map([['b', '2']])],
        ['external_ids', 'delete', ['a']],
      ],
    ),
    write.update('Logical_Switch_Port', [['tag', '==', 5]], { addresses: ['dynamic'], tag: undefined }),
    write.mutate('NB_Global', [], [['nb_cfg', '+=', 3]]),
    write.select('Logical_Switch_Port', [['name', '==', 'p1']], ['name', 'tag']),
    write.delete('Logical_Switch', [['external_ids', 'includes', new Map([['no', 'such']])]]),
  ]);
  expect(changed).toMatchObject({
    kind: 'committed',
    results: [
      {},
      { count: 1 },
      { count: 1 },
      { count: 1 },
      { rows: [{ name: 'p1', tag: ['set', []] }] },
      { count: 0 },
    ],
  });
  expect(switchNamed('web').external_ids).toEqual(new Map([['b', '2']]));
  expect(switchNamed('web').ports).toHaveLength(1);
  expect([...nb.rows('NB_Global').values()][0]?.nb_cfg).toBe(3);
});

test('a guard whose row has changed refuses the transaction', async () => {
  const outcome = await nb.transact([
    write.wait('Logical_Switch', [['name', '==', 'web']], ['external_ids'], '==', [
      { external_ids: new Map([['b', 'other']]) },
    ]),
    write.delete('Logical_Switch', []),
  ]);
  expect(outcome).toMatchObject({ kind: 'refused', operation: 0, error: 'timed out' });
});

test('a name that could be taken for something else is a bug of the caller', () => {
  for (const name of ['', '1a', 'a-b', randomUUID()])
    expect(() => rowName(name)).toThrow('cannot name a row');
});
