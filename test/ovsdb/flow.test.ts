import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Connection } from '../../src/ovsdb/client/connection.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/ovsdb/index.ts';
import { Framer, frameBytes } from '../../src/ovsdb/protocol/framing.ts';
import { type OvsdbServer, startOvsdbServer, until } from '../support/ovsdb-server.ts';

const SCHEMA_FILE = fileURLToPath(new URL('schemas/kinds.ovsschema', import.meta.url));
const MIB = 1 << 20;

describe('a connection', () => {
  let dir: string;
  let listener: net.Server;
  let client: net.Socket;
  let server: net.Socket;

  beforeEach(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'ovsdb-flow-'));
    listener = net.createServer().listen(path.join(dir, 's'));
    await once(listener, 'listening');
    client = net.connect(path.join(dir, 's'));
    [server] = (await once(listener, 'connection')) as [net.Socket];
    server.on('error', () => {});
  });

  afterEach(() => {
    client.destroy();
    server.destroy();
    listener.close();
    rmSync(dir, { recursive: true, force: true });
  });

  test('lets those wait who write to a server that does not read, and then sends in the order of asking', async () => {
    const connection = new Connection({ socket: client, probeIntervalMs: 0, onNotification: () => {} });
    const answered: number[] = [];
    const text = 'x'.repeat(MIB / 4);
    for (let n = 0; n < 200; n++) {
      connection.whenWritable(() => {
        connection.request('echo', [n, text], { onReply: ({ result }) => answered.push(Number(result)) });
      });
    }
    await nextTurn();
    expect(client.writableLength).toBeLessThan(MIB);
    const framer = new Framer();
    server.on('data', (chunk) => {
      for (const frame of framer.push(chunk)) {
        const { id, params } = JSON.parse(frameBytes(frame).toString()) as { id: number; params: [number] };
        server.write(JSON.stringify({ id, result: params[0], error: null }));
        expect(client.writableLength).toBeLessThan(MIB);
      }
    });
    await until(() => answered.length === 200);
    expect(answered).toEqual(answered.toSorted((a, b) => a - b));
  });

  test('that ends calls those who wait to write', async () => {
    const connection = new Connection({ socket: client, probeIntervalMs: 0, onNotification: () => {} });
    connection.request('echo', ['x'.repeat(MIB)], { onReply: () => {} });
    let isOver: boolean | undefined;
    connection.whenWritable(() => {
      isOver = connection.isOver;
    });
    await nextTurn();
    expect(isOver).toBeUndefined();
    connection.end('enough');
    expect(isOver).toBe(true);
  });

  test('reads a large message in turns, makes the server wait behind it, and keeps the order', async () => {
    const seen: unknown[] = [];
    let mostRead = 0;
    let turns = 0;
    const connection = new Connection({
      socket: client,
      probeIntervalMs: 0,
      onUpdates: (updates) => {
        const isSlow = updates.bytes.length > MIB;
        if (isSlow) spendTurn();
        while (updates.nextRow()) updates.value();
        turns += Number(isSlow);
        if (isSlow) mostRead = Math.max(mostRead, client.bytesRead);
      },
      onNotification: (_, [number]) => seen.push(number),
    });
    const rows = Array.from({ length: 40_000 }, (_, n) => [`row ${n}`, { insert: { text: 'x'.repeat(80) } }]);
    const large = JSON.stringify({ T: Object.fromEntries(rows) });
    const small = JSON.stringify({ T: { row: { insert: { text: 'x'.repeat(MIB / 2) } } } });
    const sent = 250;
    for (let n = 0; n < sent; n++) {
      server.write(`{"id":null,"method":"update2","params":["${n}",${n === 0 ? large : small}]}`);
    }
    await until(() => seen.length === sent);
    expect(turns).toBeGreaterThan(40);
    // What waits is bounded, however much the server has to say.
    expect(mostRead).toBeLessThan(large.length + 66 * MIB);
    expect(seen).toEqual(Array.from({ length: sent }, (_, n) => String(n)));
    connection.end('done');
  });

  test('answers echoes while it reads a large message', async () => {
    let isRead = false;
    const connection = new Connection({
      socket: client,
      probeIntervalMs: 0,
      onUpdates: (updates) => {
        spendTurn();
        while (updates.nextRow()) updates.value();
      },
      onNotification: () => {
        isRead = true;
      },
    });
    const rows = Array.from({ length: 40_000 }, (_, n) => [`row ${n}`, { insert: { text: 'x'.repeat(80) } }]);
    const large = JSON.stringify({ T: Object.fromEntries(rows) });
    server.write(
      `{"id":null,"method":"update2","params":["data",${large}]}{"id":"e","method":"echo","params":[]}`,
    );
    await once(server, 'data');
    expect(isRead).toBe(false);
    connection.end('done');
  });
});

/** Keeps the event loop busy for longer than the client means to at a time. */
function spendTurn(): void {
  const end = performance.now() + 11;
  while (performance.now() < end);
}

describe('limits', () => {
  let server: OvsdbServer;
  const opened: Database[] = [];

  beforeEach(async () => {
    server = await startOvsdbServer({ schemaFile: SCHEMA_FILE });
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((database) => database.close()));
    await server.stop();
  });

  async function open(options: Partial<DatabaseOptions> = {}): Promise<Database> {
    const database = await openDatabase({ remotes: [server.endpoint], database: 'Kinds', ...options });
    opened.push(database);
    return database;
  }

  test.each([
    [{ maxRows: 2 }, 'the database has more than 2 rows'],
    [{ maxMessageBytes: 20_000 }, 'a message is larger than 20000 bytes'],
  ])('%j end the connection with a reason that the log shows', async (limits, reason) => {
    const reasons: unknown[] = [];
    const database = await open({
      limits,
      log: (event, fields) => event === 'disconnected' && reasons.push(fields['reason']),
    });
    const writer = await open({ tables: {} });
    for (const name of ['a', 'b', 'c']) {
      await writer.transact([{ op: 'insert', table: 'Thing', row: { text: name.repeat(9000) } }]);
    }
    await writer.transact([{ op: 'insert', table: 'Thing', row: { text: 'd'.repeat(20_000) } }]);
    await until(() => reasons.length > 0);
    expect(reasons[0]).toBe(reason);
    expect(database.state).toBe('connecting');
  });

  test('a text of 100 MB is taken in like any other', async () => {
    const [reader, writer] = [await open(), await open({ tables: {} })];
    const text = 'x'.repeat(100_000_000);
    const outcome = await writer.transact([{ op: 'insert', table: 'Thing', row: { text } }]);
    expect(outcome.kind).toBe('committed');
    await reader.resynced();
    const [row] = reader.rows('Thing').values();
    expect(row?.['text'] === text).toBe(true);
  }, 120_000);
});
