import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, type Row, openDatabase } from '../../src/ovsdb/index.ts';
import { type ByteProxy, startByteProxy } from '../support/byte-proxy.ts';
import { garbageBytes, garbled } from '../support/garbage.ts';
import { type MessageProxy, type ProxiedMessage, startMessageProxy } from '../support/message-proxy.ts';
import { type OvsdbServer, startOvsdbServer, until } from '../support/ovsdb-server.ts';
import { connectRaw, type RawConnection } from '../support/raw-connection.ts';
import { EFFORT, SEED, seededRandom } from '../support/seed.ts';
import { differences, rawRowTexts, replicaRowTexts, valueText } from '../support/wire-text.ts';

const IMPOSTURES = 25 * EFFORT;
const INJECTIONS = 25 * EFFORT;
const GARBLINGS = 200 * EFFORT;

let server: OvsdbServer;
let raw: RawConnection;
let database: Database | undefined;

beforeEach(async () => {
  server = await startOvsdbServer({ schemaFile: '/usr/share/ovn/ovn-nb.ovsschema' });
  raw = await connectRaw(server.endpoint);
  await raw.request('transact', [
    'OVN_Northbound',
    ...Array.from({ length: 5 }, (_, at) => ({
      op: 'insert',
      table: 'Logical_Switch',
      row: { name: `s${at}`, external_ids: ['map', [['a', String(at)]]] },
    })),
  ]);
});

afterEach(async () => {
  await database?.close();
  raw?.close();
  await server?.stop();
});

function open(endpoint: string): Promise<Database> {
  const remotes = Array<string>(5000).fill(endpoint);
  return openDatabase({ remotes, database: 'OVN_Northbound', probeIntervalMs: 100 });
}

test(
  `an impostor that talks garbage harms nobody, and the server in its place is followed (${IMPOSTURES} times, seed ${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    const proxy = await startByteProxy(server.socketPath);
    let told = 0;
    proxy.impostor = () => {
      told += 1;
      return random() < 0.1 ? 'end' : garbageBytes(random);
    };
    try {
      const opening = open(proxy.endpoint);
      await until(() => told >= IMPOSTURES);
      proxy.impostor = undefined;
      proxy.cut();
      database = await opening;
      expect(await faults(database)).toEqual([]);
    } finally {
      await proxy.stop();
    }
  },
  180_000 * EFFORT,
);

test(
  `garbage in the middle of a conversation ends it, and the next one makes everything good (${INJECTIONS} times, seed ${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    const proxy: ByteProxy = await startByteProxy(server.socketPath);
    try {
      database = await open(proxy.endpoint);
      for (let injection = 0; injection < INJECTIONS; injection += 1) {
        const garbage = garbageBytes(random);
        await change(random);
        proxy.inject(garbage);
        await change(random);
        proxy.cut();
        await database.resynced();
        expect(await faults(database), Buffer.from(garbage).toString().slice(0, 100)).toEqual([]);
      }
    } finally {
      await proxy.stop();
    }
  },
  180_000 * EFFORT,
);

test(
  `values of wrong types in messages never make a replica that differs (${GARBLINGS} messages, seed ${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    const proxy: MessageProxy = await startMessageProxy(server.socketPath);
    const opening = open(proxy.endpoint);
    database = await opening;
    const copy = new Map<string, Row>(rowsOf(database));
    database.onChange((changes) => {
      for (const { table, uuid, after } of changes) {
        if (after === undefined) copy.delete(`${table}/${uuid}`);
        else copy.set(`${table}/${uuid}`, after);
      }
    });
    let garblings = 0;
    let wrongOnes: string[] = [];
    const garble = async (goal: number): Promise<void> => {
      proxy.toClient = (message) => {
        if (garblings >= goal || random() < 0.5) return message;
        const wrong = garbledMessage(message, random);
        if (wrong === message) return message;
        garblings += 1;
        wrongOnes.push(JSON.stringify(wrong).slice(0, 1000));
        return wrong;
      };
      await until(async () => {
        await change(random);
        void database?.transact([{ op: 'comment', comment: 'x' }]);
        if (random() < 0.1) proxy.cut();
        return garblings >= goal;
      });
      proxy.toClient = (message) => message;
    };
    try {
      for (let goal = 0; goal < GARBLINGS;) {
        wrongOnes = [];
        goal = garblings + 1 + Math.floor(random() * 4);
        await garble(goal);
        await Promise.race([database.resynced(), neverResynced(database, () => wrongOnes.join('\n'))]);
        const where = `after ${wrongOnes.join('\n')}`;
        expect(await faults(database), where).toEqual([]);
        expect(differences(rowTexts(copy), rowTexts(rowsOf(database))), where).toEqual([]);
      }
    } finally {
      await proxy.stop();
    }
  },
  180_000 * EFFORT,
);

test.each([[0], [true], [''], [null], [[]]])(
  'an update that says %j instead of rows is not taken for one without changes',
  async (nothing) => {
    const proxy = await startMessageProxy(server.socketPath);
    try {
      database = await open(proxy.endpoint);
      let isDone = false;
      proxy.toClient = (message) => {
        if (message['method'] !== 'update3' || isDone) return message;
        isDone = true;
        return { ...message, params: [...(message['params'] as readonly unknown[]).slice(0, 2), nothing] };
      };
      await raw.request('transact', ['OVN_Northbound', { op: 'delete', table: 'Logical_Switch', where: [] }]);
      await until(() => isDone);
      await database.resynced();
      expect(await faults(database)).toEqual([]);
    } finally {
      await proxy.stop();
    }
  },
);

async function neverResynced(database: Database, last: () => string): Promise<never> {
  await sleep(30_000);
  throw new Error(`not in step again: ${database.trouble ?? ''} after ${last()}`);
}

/** Ids and methods stay: without them nobody could tell what was lost. So does the monitor that an update is of. */
function garbledMessage(message: ProxiedMessage, random: () => number): ProxiedMessage {
  const { params, result } = message;
  if (typeof message['method'] === 'string') {
    const values = params as readonly unknown[];
    const chosen = 1 + Math.floor(random() * (values.length - 1));
    return message['method'] === 'echo' || values.length < 2
      ? message
      : { ...message, params: values.map((each, at) => (at === chosen ? garbled(each, random) : each)) };
  }
  return result === null ? message : { ...message, result: garbled(result, random) };
}

/** Some change that a replica can miss, behind the client's back. */
async function change(random: () => number): Promise<void> {
  const name = `s${Math.floor(random() * 8)}`;
  const where = [['name', '==', name]];
  const operations = [
    { op: 'delete', table: 'Logical_Switch', where },
    {
      op: 'insert',
      table: 'Logical_Switch',
      row: { name, ports: ['set', [['named-uuid', 'p']]], external_ids: ['map', [['b', String(random())]]] },
    },
    { op: 'insert', table: 'Logical_Switch_Port', 'uuid-name': 'p', row: { name: `p-${name}`, tag: 5 } },
  ];
  const mutation = {
    op: 'mutate',
    table: 'Logical_Switch',
    where,
    mutations: [['external_ids', 'insert', ['map', [[`k${Math.floor(random() * 5)}`, 'v']]]]],
  };
  await raw.request('transact', ['OVN_Northbound', ...(random() < 0.5 ? operations : [mutation])]);
}

async function faults(database: Database): Promise<readonly string[]> {
  const tables = await raw.select('OVN_Northbound', [...database.schema.tables.keys()]);
  return differences(replicaRowTexts(database), rawRowTexts(tables));
}

function rowsOf(database: Database): ReadonlyMap<string, Row> {
  const rows = [...database.schema.tables.keys()].flatMap((table) =>
    [...database.rows(table)].map(([uuid, row]) => [`${table}/${uuid}`, row] as const),
  );
  return new Map(rows);
}

function rowTexts(rows: ReadonlyMap<string, Row>): ReadonlyMap<string, string> {
  return new Map([...rows].map(([key, row]) => [key, Object.values(row).map(valueText).join('; ')]));
}
