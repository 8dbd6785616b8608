import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nbctl } from '../support/nbctl.ts';
import { type OvsdbServer, startOvsdbServer, until } from '../support/ovsdb-server.ts';
import { type CliRun, runInProcess } from '../support/run-cli.ts';

const PROGRAM = path.resolve(import.meta.dirname, '../../dist/src/main/cli.js');

let server: OvsdbServer;

beforeAll(async () => {
  server = await startOvsdbServer({ schemaFile: '/usr/share/ovn/ovn-nb.ovsschema' });
  nbctl(server.endpoint, 'init');
});

afterAll(async () => {
  await server?.stop();
});

interface Running {
  /** What was printed, without the rows that were there at first. */
  readonly out: () => string;
  /** Interrupts it and waits for its end. */
  readonly stop: () => Promise<CliRun>;
  readonly ended: Promise<CliRun>;
}

/** Starts to monitor and waits until it follows: until it has shown the rows that are there, which must be some. */
async function startMonitor(endpoint: string, ...args: readonly string[]): Promise<Running> {
  const stop = new AbortController();
  let out = '';
  const words = ['ovsdb', 'monitor', endpoint, ...args, '--initial'];
  const ended = runInProcess(words, { signal: stop.signal, onOut: (text) => (out = text) });
  await until(() => out !== '');
  const start = out.length;
  return {
    ended,
    out: () => out.slice(start),
    stop: () => {
      stop.abort();
      return ended;
    },
  };
}

/** Runs a transaction of any number of operations, without anything that ovn-nbctl would add. */
function transact(...operations: readonly unknown[]): void {
  const text = JSON.stringify(['OVN_Northbound', ...operations]);
  const { stdout } = spawnSync('ovsdb-client', ['transact', server.endpoint, text], { encoding: 'utf8' });
  if (stdout.includes('"error"')) throw new Error(stdout);
}

/** Output without what differs from run to run. */
function settled(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replaceAll(/#[0-9a-f]{8}/g, '#UUID');
}

describe('monitor', () => {
  test('shows each transaction: what came, what changed and how, what went', async () => {
    const { out, stop } = await startMonitor(server.endpoint);
    nbctl(
      server.endpoint,
      'ls-add',
      'web',
      '--',
      'lsp-add',
      'web',
      'p1',
      '--',
      'lsp-set-addresses',
      'p1',
      'dynamic',
    );
    nbctl(server.endpoint, 'set', 'Logical_Switch', 'web', 'external_ids:a=1', 'external_ids:b=2');
    nbctl(
      server.endpoint,
      ...'set Logical_Switch web external_ids:a=3 -- remove Logical_Switch web external_ids b'.split(' '),
      ...'-- lsp-add web p2 -- lsp-del p1 -- set Logical_Switch web other_config:x=y'.split(' '),
    );
    nbctl(server.endpoint, 'set', 'Logical_Switch_Port', 'p2', 'tag=7', 'type=l2gateway');
    nbctl(server.endpoint, 'ls-del', 'web');
    await until(() => out().includes('- Logical_Switch_Port p2'));
    expect(settled(out())).toBe(`TIME
+ Logical_Switch web
  name   web
  ports  [p1]
+ Logical_Switch_Port p1
  addresses  [dynamic]
  name       p1

TIME
~ Logical_Switch web
  external_ids  +a=1  +b=2

TIME
~ Logical_Switch web
  external_ids  ~a=1 -> 3  -b=2
  other_config  +x=y
  ports         -p1  +p2
- Logical_Switch_Port p1
  addresses  [dynamic]
  name       p1
+ Logical_Switch_Port p2
  name  p2

TIME
~ Logical_Switch_Port p2
  tag   [] -> 7
  type  "" -> l2gateway

TIME
- Logical_Switch web
  external_ids  {a=3}
  name          web
  other_config  {x=y}
  ports         [p2]
- Logical_Switch_Port p2
  name  p2
  tag   7
  type  l2gateway

`);
    expect(await stop()).toMatchObject({ code: 0, err: '' });
  });

  test('as jsonl a transaction is a line, with the columns that changed', async () => {
    const { ended } = await startMonitor(server.endpoint, '--format', 'jsonl', '--count', '3');
    transact({ op: 'insert', table: 'Address_Set', row: { name: 'as1', addresses: '10.0.0.1' } });
    transact({
      op: 'update',
      table: 'Address_Set',
      where: [['name', '==', 'as1']],
      row: { addresses: ['set', []] },
    });
    transact({ op: 'delete', table: 'Address_Set', where: [] });
    const { code, out } = await ended;
    expect(code).toBe(0);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    expect(lines[0]).toMatchObject({ kind: 'initial', changes: [{ kind: 'insert', table: 'NB_Global' }] });
    const _uuid = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string;
    const table = 'Address_Set';
    expect(lines.slice(1)).toEqual([
      {
        time,
        kind: 'update',
        changes: [
          { kind: 'insert', table, _uuid, after: { addresses: ['10.0.0.1'], external_ids: {}, name: 'as1' } },
        ],
      },
      {
        time,
        kind: 'update',
        changes: [
          { kind: 'modify', table, _uuid, before: { addresses: ['10.0.0.1'] }, after: { addresses: [] } },
        ],
      },
      {
        time,
        kind: 'update',
        changes: [{ kind: 'delete', table, _uuid, before: { addresses: [], external_ids: {}, name: 'as1' } }],
      },
    ]);
  });

  test('only what is asked for counts: tables, columns, conditions', async () => {
    nbctl(server.endpoint, 'ls-add', 'seen', '--', 'ls-add', 'unseen');
    const { ended, out } = await startMonitor(
      server.endpoint,
      'Logical_Switch.external_ids',
      '--where',
      'Logical_Switch: name=seen',
      '--count',
      '2',
    );
    nbctl(server.endpoint, 'set', 'Logical_Switch', 'unseen', 'external_ids:a=1');
    nbctl(server.endpoint, 'set', 'Logical_Switch', 'seen', 'other_config:a=1');
    nbctl(server.endpoint, 'lr-add', 'r');
    nbctl(server.endpoint, 'set', 'Logical_Switch', 'seen', 'external_ids:a=1', 'other_config:a=2');
    nbctl(server.endpoint, 'ls-del', 'unseen', '--', 'ls-del', 'seen', '--', 'lr-del', 'r');
    expect(await ended).toMatchObject({ code: 0 });
    expect(settled(out())).toBe(`TIME
~ Logical_Switch seen
  external_ids  +a=1

TIME
- Logical_Switch seen
  external_ids  {a=1}

`);
  });

  test('a server that goes away and comes back is followed on, and that is said', async () => {
    const { out, stop } = await startMonitor(server.endpoint, 'Logical_Switch', 'NB_Global');
    transact({ op: 'insert', table: 'Logical_Switch', row: { name: 'before' } });
    await until(() => out().includes('before'));
    await server.restart();
    transact({ op: 'insert', table: 'Logical_Switch', row: { name: 'meanwhile' } });
    await until(() => out().includes('meanwhile'));
    transact({ op: 'delete', table: 'Logical_Switch', where: [] });
    await until(() => out().includes('- Logical_Switch meanwhile'));
    const { code, err } = await stop();
    expect(code).toBe(0);
    expect(err).toMatch(
      /^connection to unix:\S+ lost: .*; trying again\nconnected again to unix:\S+ after \d+\.\d s\n$/,
    );
    expect(out().match(/^\+ Logical_Switch/gm)).toHaveLength(2);
  });

  test('what happened while there was no connection is marked', async () => {
    const own = await startOvsdbServer({ schemaFile: '/usr/share/ovn/ovn-nb.ovsschema' });
    nbctl(own.endpoint, 'init');
    const { ended } = await startMonitor(own.endpoint, '--count', '1', '--format', 'jsonl');
    // The server comes back with one row more in its file.
    await own.kill9();
    const insert = '{"op":"insert","table":"Logical_Switch","row":{"name":"x"}}';
    const { status } = spawnSync('ovsdb-tool', ['transact', own.file, `["OVN_Northbound",${insert}]`]);
    expect(status).toBe(0);
    await own.start();
    const { code, out } = await ended;
    await own.stop();
    expect(code).toBe(0);
    expect(JSON.parse(out.trim().split('\n').at(-1) ?? '')).toMatchObject({
      kind: 'resync',
      changes: [{ kind: 'insert', after: { name: 'x' } }],
    });
  });

  test('ends after a time; without --initial a quiet database shows nothing', async () => {
    expect(await runInProcess(['ovsdb', 'monitor', server.endpoint, '--for', '1s'])).toEqual({
      code: 0,
      out: '',
      err: '',
    });
  });

  test.each([
    [['--count', '0'], '--count "0" is not a number from 1'],
    [['--for', '5'], '--for "5" has no unit'],
    [['--format', 'json'], '--format is text or jsonl, not '],
    [['Nope'], 'has no table "Nope"'],
  ])('%j is refused with a sentence', async (words, message) => {
    const { code, out, err } = await runInProcess(['ovsdb', 'monitor', server.endpoint, ...words]);
    expect(code).toBe(1);
    expect(`${out}${err}`).toContain(message);
  });
});

describe('the program', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('a monitor ends with 0 at %s', async (signal) => {
    const child = spawn(process.execPath, [PROGRAM, 'ovsdb', 'monitor', server.endpoint, '--initial']);
    await once(child.stdout, 'data');
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('a monitor whose reader goes away ends with 0, without a word', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'ovsdb', 'monitor', server.endpoint, '--initial']);
    let err = '';
    child.stderr.on('data', (text) => (err += String(text)));
    await once(child.stdout, 'data');
    child.stdout.destroy();
    transact({ op: 'insert', table: 'Logical_Switch', row: { name: 'last' } });
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(err).toBe('');
  });

  test('a large dump comes in pieces, and stops when its reader does', async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => ({
      op: 'insert',
      table: 'Address_Set',
      row: {
        name: `set-${at}`,
        addresses: `10.${at >> 8}.${at & 255}.0/24`,
        external_ids: ['map', [['a', 'b']]],
      },
    }));
    const own = await startOvsdbServer({ schemaFile: '/usr/share/ovn/ovn-nb.ovsschema' });
    const input = JSON.stringify(rows);
    expect(await runInProcess(['ovsdb', 'transact', own.endpoint], { input })).toMatchObject({ code: 0 });
    const whole = await dumpBytes(own.endpoint, Infinity);
    expect(whole).toMatchObject({ code: 0 });
    expect(whole.bytes).toBeGreaterThan(1_000_000);
    const cut = await dumpBytes(own.endpoint, 1000);
    expect(cut).toMatchObject({ code: 141, err: '' });
    expect(cut.bytes).toBeLessThan(whole.bytes / 2);
    await own.stop();
  });
});

/** Reads so many bytes of a dump, then goes away. */
async function dumpBytes(
  endpoint: string,
  most: number,
): Promise<{ readonly code: number; readonly bytes: number; readonly err: string }> {
  const child = spawn(process.execPath, [PROGRAM, 'ovsdb', 'dump', endpoint]);
  let [bytes, err] = [0, ''];
  child.stderr.on('data', (text) => (err += String(text)));
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > most) child.stdout.destroy();
  });
  const [code] = (await once(child, 'close')) as [number];
  return { code, bytes, err };
}
