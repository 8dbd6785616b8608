import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runInProcess as runWith, type CliRun } from '../support/run-cli.ts';
import { makeFolder, removeFolder } from '../support/git-repository.ts';
import { nbctl } from '../support/nbctl.ts';
import { type OvsdbServer, startOvsdbServer, until } from '../support/ovsdb-server.ts';

const NB_SCHEMA = '/usr/share/ovn/ovn-nb.ovsschema';
const SCHEMAS = [NB_SCHEMA, '/usr/share/ovn/ovn-sb.ovsschema', '/usr/share/openvswitch/vswitch.ovsschema'];

let folder: string;
let server: OvsdbServer;
let other: OvsdbServer;

beforeAll(async () => {
  folder = await makeFolder();
  server = await startOvsdbServer({ schemaFile: NB_SCHEMA });
  other = await startOvsdbServer({ schemaFile: NB_SCHEMA });
  for (const { endpoint } of [server, other]) {
    const add =
      'ls-add web -- lsp-add web p1 -- lsp-add web p2 -- ls-add db -- acl-add web to-lport 7 ip4 drop -- acl-add web to-lport 2 ip6 drop';
    nbctl(endpoint, ...add.split(' '));
    nbctl(endpoint, 'set', 'Logical_Switch', 'web', 'external_ids:site=berlin', 'external_ids:k=web');
    nbctl(endpoint, 'lsp-set-addresses', 'p1', '0a:00:00:00:00:01 10.0.0.1');
  }
});

afterAll(async () => {
  await server?.stop();
  await other?.stop();
  await removeFolder(folder);
});

async function run(...args: readonly string[]): Promise<CliRun> {
  return runWith(['ovsdb', ...args]);
}

/** The rows that ovsdb-client(1) sees in a table. */
function clientRows(table: string): readonly Readonly<Record<string, unknown>>[] {
  const operations = ['OVN_Northbound', { op: 'select', table, where: [] }];
  const { stdout } = spawnSync('ovsdb-client', ['transact', server.endpoint, JSON.stringify(operations)], {
    encoding: 'utf8',
  });
  return (JSON.parse(stdout) as [{ rows: Readonly<Record<string, unknown>>[] }])[0].rows;
}

async function dumpOf(endpoint: string, name: string, ...words: readonly string[]): Promise<string> {
  const file = path.join(folder, name);
  writeFileSync(file, (await run('dump', endpoint, ...words, '--format', 'json')).out);
  return file;
}

describe('dump', () => {
  test('shows rows in order, by name, without what is at its default', async () => {
    const { code, out, err } = await run('dump', server.endpoint, 'Logical_Switch', 'Logical_Switch_Port');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.replaceAll(/#[0-9a-f]{8}/g, '#UUID')).toBe(`Logical_Switch db
  name  db

Logical_Switch web
  acls          [#UUID, #UUID]
  external_ids  {k=web, site=berlin}
  name          web
  ports         [p1, p2]

Logical_Switch_Port p1
  addresses  ["0a:00:00:00:00:01 10.0.0.1"]
  name       p1

Logical_Switch_Port p2
  name  p2
`);
  });

  test('shows the columns that are asked for, also at their default, and uuids when wanted', async () => {
    expect(await run('dump', server.endpoint, 'OVN_Northbound', 'Logical_Switch.ports')).toMatchObject({
      out: 'Logical_Switch db\n  ports  []\n\nLogical_Switch web\n  ports  [p1, p2]\n',
    });
    const { out } = await run('dump', server.endpoint, 'Logical_Switch_Port.name', '--uuids');
    const uuids = clientRows('Logical_Switch_Port').map((row) => (row['_uuid'] as string[])[1] ?? '');
    for (const uuid of uuids) expect(out).toContain(`Logical_Switch_Port ${uuid}\n`);
    expect((await run('dump', server.endpoint, 'ACL', '--defaults')).out).toMatch(/^ {2}label {6} *0$/m);
  });

  test('breaks wide sets up, and tells rows of one name apart', async () => {
    const own = await startOvsdbServer({ schemaFile: NB_SCHEMA });
    const ports = Array.from({ length: 20 }, (_, at) => `port-number-${String(at).padStart(2, '0')}`);
    nbctl(own.endpoint, 'ls-add', 'twin', '--', '--add-duplicate', 'ls-add', 'twin');
    nbctl(own.endpoint, 'ls-add', 'wide', ...ports.flatMap((port) => ['--', 'lsp-add', 'wide', port]));
    const { out } = await run('dump', own.endpoint, 'Logical_Switch');
    await own.stop();
    expect(out).toMatch(/^Logical_Switch twin#[0-9a-f]{8}$/m);
    expect(out).toMatch(/^ {2}ports {2}\[\n {11}port-number-00\n {11}port-number-01\n/m);
  });

  test('as json it is what ovsdb-client sees, with the schema; as jsonl a row is a line', async () => {
    const dump = JSON.parse((await run('dump', server.endpoint, '--format', 'json')).out) as {
      tables: Record<string, Record<string, Record<string, unknown>>>;
      schema: { tables: object };
    };
    expect(Object.keys(dump.schema.tables)).toHaveLength(
      Object.keys((JSON.parse(readFileSync(NB_SCHEMA, 'utf8')) as { tables: object }).tables).length,
    );
    for (const wire of clientRows('Logical_Switch')) {
      const row = dump.tables['Logical_Switch']?.[(wire['_uuid'] as string[])[1] ?? ''];
      expect(row).toMatchObject({ name: wire['name'], copp: null });
      expect(row?.['external_ids']).toEqual(Object.fromEntries((wire['external_ids'] as [string, []])[1]));
    }
    const lines = (await run('dump', server.endpoint, 'Logical_Switch', '--format', 'jsonl')).out.trim();
    expect(lines.split('\n').map((line) => (JSON.parse(line) as { name: string }).name)).toEqual([
      'db',
      'web',
    ]);
  });

  test.each([
    ['Logical_Switch: name=web', ['web']],
    ['Logical_Switch: name!=web', ['db']],
    ['Logical_Switch: external_ids:site=berlin, name=web', ['web']],
    ['Logical_Switch: external_ids:site=paris', []],
    ['Logical_Switch: external_ids:site=', ['db']],
    ['Logical_Switch: external_ids=', ['db']],
    ['Logical_Switch: ports=p1', ['web']],
    ['Logical_Switch: ports!=', ['web']],
    ['ACL: priority>=7', [undefined]],
    ['ACL: priority>7', []],
    ['ACL: log=false, match="ip4"', [undefined]],
  ])('--where "%s"', async (where, names) => {
    const { code, out } = await run('dump', server.endpoint, '--where', where, '--format', 'jsonl');
    expect(code).toBe(0);
    const rows = out.split('\n').filter((line) => line !== '');
    expect(rows.map((line) => (JSON.parse(line) as { name?: string }).name ?? undefined)).toEqual(
      names.map((name) => name),
    );
  });

  test('several conditions for a table: any of them', async () => {
    const where = ['--where', 'Logical_Switch: name=web', '--where', 'Logical_Switch: name=db'];
    const { out } = await run('dump', server.endpoint, 'Logical_Switch.name', ...where);
    expect(out.match(/^Logical_Switch/gm)).toHaveLength(2);
  });

  test.each([
    [['Logical_Swich'], 'has no table "Logical_Swich"; did you mean Logical_Switch?'],
    [
      ['Logical_Switch.prts', 'x.y'],
      'has no column "prts"; did you mean ports?; OVN_Northbound has no table "x"',
    ],
    [['--where', 'name=web'], 'is not TABLE: COLUMN=VALUE'],
    [['--where', 'ACL: priority=high'], '"high" is not an integer'],
    [['--where', 'ACL: name<a'], 'name is not a number'],
    [['--where', 'Logical_Switch: external_ids=a'], 'write external_ids:KEY=VALUE'],
    [['--where', 'Logical_Switch: name:a=b'], 'name is not a map'],
    [['ACL', '--where', 'Logical_Switch: name=a'], 'speaks of Logical_Switch, which is not among'],
  ])('%j is refused with a sentence', async (words, message) => {
    const { code, out, err } = await run('dump', server.endpoint, ...words);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(message);
  });

  test.each([
    ['unix:/nowhere', 'no server answered at unix:/nowhere within 1 s: connect ENOENT'],
    ['nonsense:', 'does not start with unix:'],
    ['ssl:127.0.0.1:1', 'ssl: needs all three of --ca, --cert and --key'],
  ])('%s is no endpoint that answers', async (endpoint, message) => {
    const { code, err } = await run('dump', endpoint, '--timeout', '1s');
    expect(code).toBe(1);
    expect(err).toContain(message);
  });

  test('a server with several databases wants one to be named', async () => {
    const both = await startOvsdbServer({ schemaFile: NB_SCHEMA });
    const file = path.join(both.dir, 'sb.db');
    spawnSync('ovsdb-tool', ['create', file, '/usr/share/ovn/ovn-sb.ovsschema']);
    both.appctl('ovsdb-server/add-db', file);
    const names = 'OVN_Northbound, OVN_Southbound, _Server';
    expect((await run('dump', both.endpoint)).err).toContain(
      `say which database of ${both.endpoint} you mean: it serves ${names}`,
    );
    expect((await run('dump', both.endpoint, 'Nope')).err).toContain(
      `has no database "Nope": it serves ${names}`,
    );
    expect(await run('dump', both.endpoint, 'OVN_Southbound')).toMatchObject({ code: 0 });
    expect((await run('dump', both.endpoint, '_Server', 'Database.name')).out).toContain(
      'Database OVN_Southbound',
    );
    await both.stop();
  });

  test('names in the database do not steer the terminal', async () => {
    const own = await startOvsdbServer({ schemaFile: NB_SCHEMA });
    const row = { name: 'a\u001B[31mb', external_ids: ['map', [['\u009B1m', 'x\ny']]] };
    const operations = JSON.stringify([{ op: 'insert', table: 'Logical_Switch', row }]);
    expect(await run('transact', own.endpoint, operations)).toMatchObject({ code: 0 });
    const { out } = await runWith(['ovsdb', 'dump', own.endpoint], { color: true });
    await own.stop();
    expect(out).toContain(String.raw`a\u001b[31mb`);
    const plain = stripVTControlCharacters(out);
    for (const control of ['\u001B', '\u009B']) expect(plain).not.toContain(control);
  });
});

describe('transact', () => {
  const INSERT = { op: 'insert', table: 'Logical_Switch', row: { name: 'new' } };
  const GOOD = [
    {
      op: 'wait',
      timeout: 0,
      table: 'Logical_Switch',
      where: [['name', '==', 'web']],
      columns: ['name'],
      until: '==',
      rows: [{ name: 'web' }],
    },
    { op: 'insert', table: 'Logical_Switch_Port', row: { name: 'n1', tag: 5 }, 'uuid-name': 'n1' },
    { op: 'insert', table: 'Logical_Switch', row: { name: 'new', ports: ['named-uuid', 'n1'] } },
    {
      op: 'mutate',
      table: 'Logical_Switch',
      where: [['name', '==', 'new']],
      mutations: [
        ['external_ids', 'insert', ['map', [['a', 'b']]]],
        ['external_ids', 'delete', ['set', ['a']]],
      ],
    },
    { op: 'update', table: 'Logical_Switch_Port', where: [['tag', '==', 5]], row: { tag: ['set', []] } },
    { op: 'mutate', table: 'ACL', where: [['priority', '>', 3]], mutations: [['priority', '+=', 1]] },
    { op: 'select', table: 'Logical_Switch', where: [['name', '==', 'new']], columns: ['_uuid', 'name'] },
    { op: 'delete', table: 'Logical_Switch', where: [['name', '==', 'new']] },
    { op: 'comment', comment: 'a test' },
  ];

  test('says what each operation answered', async () => {
    const { code, out, err } = await run('transact', server.endpoint, JSON.stringify(GOOD));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')).toBe(`committed
  0  wait Logical_Switch         done
  1  insert Logical_Switch_Port  UUID
  2  insert Logical_Switch       UUID
  3  mutate Logical_Switch       1 row
  4  update Logical_Switch_Port  1 row
  5  mutate ACL                  1 row
  6  select Logical_Switch       1 row

    Logical_Switch UUID
      name  new
  7  delete Logical_Switch       1 row
  8  comment                     done
`);
  });

  test('a dry run changes nothing', async () => {
    const { code, out, err } = await run('transact', server.endpoint, JSON.stringify(INSERT), '--dry-run');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^dry run: every operation would pass\n {2}0 {2}insert Logical_Switch {2}[0-9a-f-]{36}\n$/,
    );
    expect(err).toContain('not tried');
    expect(clientRows('Logical_Switch').map((row) => row['name'])).not.toContain('new');
  });

  test('operations come from an argument, a file or standard input, also with the name of the database', async () => {
    const select = [
      { op: 'select', table: 'Logical_Switch', where: [['name', '==', 'web']], columns: ['name'] },
    ];
    const expected = { outcome: 'committed', results: [{ rows: [{ name: 'web' }] }] };
    const file = path.join(folder, 'operations.json');
    writeFileSync(file, JSON.stringify(['OVN_Northbound', ...select]));
    const json = ['--format', 'json'];
    for (const given of [
      await run('transact', server.endpoint, 'OVN_Northbound', JSON.stringify(select), ...json),
      await run('transact', server.endpoint, '-f', file, ...json),
      await runWith(['ovsdb', 'transact', server.endpoint, ...json], { input: JSON.stringify(select) }),
    ]) {
      expect(given).toMatchObject({ code: 0, err: '' });
      expect(JSON.parse(given.out)).toEqual(expected);
    }
  });

  test('a refusal names the operation, or the commit', async () => {
    const wait = { ...GOOD[0], rows: [{ name: 'other' }] };
    const refused = await run('transact', server.endpoint, JSON.stringify([wait, INSERT]));
    expect(refused.code).toBe(1);
    expect(refused.err).toBe(
      'refused (operation 0, wait Logical_Switch): timed out: "where" clause test failed\n  nothing was changed\n',
    );
    expect(refused.out).toContain('1  insert Logical_Switch  not carried out');
    const ports = ['uuid', '00000000-0000-0000-0000-000000000001'];
    const dangling = JSON.stringify([{ ...INSERT, row: { name: 'x', ports } }]);
    const atCommit = await run('transact', server.endpoint, dangling);
    expect(atCommit.code).toBe(1);
    expect(atCommit.err).toContain('refused (at the commit): referential integrity violation');
    const json = await run('transact', server.endpoint, dangling, '--format', 'json');
    expect(JSON.parse(json.out)).toMatchObject({
      outcome: 'refused',
      error: 'referential integrity violation',
    });
  });

  test.each([
    [[], 'holds no operations'],
    [[7], 'operation 0: 7 is not an operation'],
    [{ op: 'inset', table: 'ACL' }, '"inset" is no operation; did you mean insert?'],
    [{ op: 'insert', table: 'Acl', row: {} }, 'table: OVN_Northbound has no table "Acl"; did you mean ACL?'],
    [{ op: 'insert', table: 'ACL' }, 'row: insert needs "row"'],
    [{ ...INSERT, rows: [] }, 'rows: insert has no "rows"; did you mean row?'],
    [
      { ...INSERT, row: { nam: 'x' } },
      'row.nam: table Logical_Switch has no column "nam"; did you mean name?',
    ],
    [{ ...INSERT, row: { name: 7 } }, 'row.name: 7 is not a string'],
    [{ ...INSERT, row: { name: ['set', ['a', 'b']] } }, 'row.name: has 2 elements; name holds one'],
    [{ ...INSERT, row: { external_ids: ['set', []] } }, 'row.external_ids: is not a map'],
    [
      { ...INSERT, row: { ports: ['named-uuid', 'q'] } },
      'no insert of the transaction has the uuid-name "q"',
    ],
    [{ ...INSERT, row: { ports: 'q' } }, 'is not ["uuid", UUID] or ["named-uuid", NAME]'],
    [{ ...INSERT, row: { _uuid: ['uuid', 'x'] } }, "row._uuid: _uuid is the server's"],
    [{ ...INSERT, 'uuid-name': '1x' }, 'uuid-name: "1x" is not a name'],
    [
      { op: 'insert', table: 'ACL', row: { match: '', action: 'drp', direction: 'to-lport' } },
      'row.action: "drp" is not one of "allow"',
    ],
    [
      { op: 'insert', table: 'ACL', row: { action: 'drop' } },
      'row.direction: must be given: its default "" is not one of',
    ],
    [
      { op: 'update', table: 'ACL', where: [], row: { priority: 40_000 } },
      'row.priority: 40000 is more than 32767',
    ],
    [
      { op: 'delete', table: 'ACL', where: [['match', '<', 'a']] },
      'where[0]: match is not a number: < cannot order it',
    ],
    [
      { op: 'delete', table: 'ACL', where: ['match', '==', 'a'] },
      'where[0]: "match" is not [COLUMN, FUNCTION, VALUE]',
    ],
    [{ op: 'delete', table: 'ACL', where: [['match', '=', 'a']] }, 'where[0]: "=" is not one of'],
    [
      { op: 'select', table: 'ACL', where: [], columns: ['prio'] },
      'columns[0]: table ACL has no column "prio"',
    ],
    [
      { op: 'mutate', table: 'ACL', where: [], mutations: [['match', '+=', 1]] },
      'mutations[0]: match is not a number',
    ],
    [
      { op: 'mutate', table: 'ACL', where: [], mutations: [['priority', '+=', 'x']] },
      'mutations[0]: priority: "x" is not an integer',
    ],
    [
      { op: 'mutate', table: 'ACL', where: [], mutations: [['priority', '+', 1]] },
      'mutations[0]: "+" is not one of insert',
    ],
    [
      { op: 'wait', table: 'ACL', where: [], until: '==', rows: [], columns: [] },
      'timeout: wait needs "timeout"; without one',
    ],
    [
      { op: 'wait', table: 'ACL', where: [], until: '=', rows: [], columns: [], timeout: -1 },
      'until: "=" is not "==" or "!="',
    ],
    [{ op: 'commit' }, 'durable: commit needs "durable"'],
    [{ op: 'assert', lock: 'a b' }, 'lock: "a b" is not a name'],
  ])('%j is found before it is sent, and a server would refuse it', async (operation, message) => {
    const text = JSON.stringify(operation);
    const { code, out, err } = await run('transact', server.endpoint, text);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
    if (typeof operation !== 'object' || Array.isArray(operation)) return;
    // A wait without a timeout is no error for a server: it would wait.
    if (operation.op === 'wait' && !('timeout' in operation)) return;
    const params = JSON.stringify(['OVN_Northbound', operation]);
    const { stdout, stderr } = spawnSync('ovsdb-client', ['transact', server.endpoint, params], {
      encoding: 'utf8',
    });
    expect(`${stdout}${stderr}`).toMatch(/error|violation/);
  });

  test.each([
    ['[{"op":"comment","comment":"a\\u0000"}]', 'comment: holds a NUL character'],
    ['[{"op":"comment","comment":"\\ud800 s"}]', 'comment: holds half of a surrogate pair'],
    [
      '[{"op":"insert","table":"Logical_Switch","row":{"name":"x\\udc00"}}]',
      'name: holds half of a surrogate pair',
    ],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'a value that is nested too deeply is not an operation'],
  ])('what would cost the connection is found before it is sent (%#)', async (input, message) => {
    const { code, out, err } = await runWith(['ovsdb', 'transact', server.endpoint], { input });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });

  test('a row cannot pretend to be several in what is printed', async () => {
    const name = 'x\n- Logical_Switch production';
    const insert = JSON.stringify([{ ...INSERT, row: { name } }]);
    expect((await run('transact', server.endpoint, insert)).code).toBe(0);
    const { out } = await run('dump', server.endpoint, 'Logical_Switch');
    expect(out).toContain('Logical_Switch "x\\n- Logical_Switch production"');
    expect(out).not.toMatch(/^- Logical_Switch production/m);
    const remove = [{ op: 'delete', table: 'Logical_Switch', where: [['name', '==', name]] }];
    expect((await run('transact', server.endpoint, JSON.stringify(remove))).code).toBe(0);
  });

  test('what is no array is refused, wherever it comes from', async () => {
    for (const [input, message] of [
      ['7', 'standard input holds 7, not an array of operations'],
      ['', 'standard input is empty'],
      ['[{"op":\n  "abort",}]', 'standard input is not JSON'],
    ] as const) {
      const { code, err } = await runWith(['ovsdb', 'transact', server.endpoint], { input });
      expect(code).toBe(2);
      expect(err).toContain(message);
    }
  });

  test('every fault is named at once, as data too', async () => {
    const bad = [INSERT, { op: 'delete', table: 'ACL' }, { op: 'abrt' }];
    const { code, out } = await run('transact', server.endpoint, JSON.stringify(bad), '--format', 'json');
    expect(code).toBe(2);
    expect((JSON.parse(out) as { error: { faults: unknown[] } }).error.faults).toEqual([
      { operation: 1, place: 'where', message: 'delete needs "where"' },
      { operation: 2, place: 'op', message: '"abrt" is no operation; did you mean abort?' },
    ]);
  });

  test.each([
    [['[{"op": "abort"}'], 'OPERATIONS is not JSON'],
    [['[{"op": "abort"}]', '--file', 'x'], 'choose one of OPERATIONS and --file'],
    [['--file', '/nowhere.json'], '/nowhere.json does not exist'],
    [['Nope', '[{"op": "abort"}]'], '"Nope" is neither a database of'],
    [['_Server', '["OVN_Northbound", {"op": "abort"}]'], 'the operations are for OVN_Northbound'],
    [['--nope'], "Unknown option '--nope'"],
  ])('%j is usage', async (words, message) => {
    const { code, err } = await run('transact', server.endpoint, ...words);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  test('without an answer the outcome is unknown, and nothing is sent again', async () => {
    const own = await startOvsdbServer({ schemaFile: NB_SCHEMA });
    const parked = JSON.stringify([
      {
        op: 'wait',
        timeout: 600_000,
        table: 'Logical_Switch',
        where: [],
        columns: ['name'],
        until: '==',
        rows: [{ name: 'never' }],
      },
      INSERT,
    ]);
    const running = run('transact', own.endpoint, parked, '--format', 'json');
    await until(() => /"?parked|triggers?:?\s*[1-9]/i.test(own.appctl('memory/show')));
    await own.kill9();
    const { code, out } = await running;
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ outcome: 'unknown' });
    await own.stop();
  });
});

describe('diff', () => {
  test('a dump equals the database that it was made of, until that changes', async () => {
    const file = await dumpOf(other.endpoint, 'same.json');
    expect(await run('diff', file, other.endpoint)).toEqual({ code: 0, out: '', err: '' });
    nbctl(other.endpoint, 'set', 'Logical_Switch', 'web', 'external_ids:site=paris', 'other_config:a=b');
    nbctl(other.endpoint, 'lsp-add', 'web', 'p3', '--', 'lsp-del', 'p2');
    const { code, out, err } = await run('diff', file, other.endpoint);
    expect(code).toBe(1);
    expect(out).toBe(`--- ${file}
+++ ${other.endpoint}
~ Logical_Switch web
  external_ids  ~site=berlin -> paris
  other_config  +a=b
  ports         -p2  +p3
- Logical_Switch_Port p2
  name  p2
+ Logical_Switch_Port p3
  name  p3
`);
    expect(err).toContain('1 only in');
    nbctl(other.endpoint, 'lsp-add', 'web', 'p2', '--', 'lsp-del', 'p3');
    nbctl(other.endpoint, 'set', 'Logical_Switch', 'web', 'external_ids:site=berlin');
    nbctl(other.endpoint, 'remove', 'Logical_Switch', 'web', 'other_config', 'a');
  });

  test('with keys, databases whose uuids differ compare, references included', async () => {
    expect(await run('diff', server.endpoint, other.endpoint)).toMatchObject({ code: 1 });
    const by = ['--by', 'index,name'];
    // The transactions above have raised the priority of one ACL, which has no key: it is matched by content.
    expect(await run('diff', server.endpoint, other.endpoint, ...by, '--ignore', 'ACL.priority')).toEqual({
      code: 0,
      out: '',
      err: '',
    });
    const acl = await run('diff', server.endpoint, other.endpoint, ...by, '--format', 'json');
    expect(acl.code).toBe(1);
    expect(JSON.parse(acl.out)).toMatchObject({
      equal: false,
      differences: [
        { kind: expect.any(String) as string, table: 'ACL' },
        { kind: expect.any(String) as string, table: 'ACL' },
        { kind: 'changed', table: 'Logical_Switch', label: 'web' },
      ],
    });
    const byKey = await run('diff', server.endpoint, other.endpoint, '--by', 'k', 'Logical_Switch.name');
    expect(byKey).toMatchObject({ code: 0 });
    const ports = await run('diff', server.endpoint, other.endpoint, ...by, 'Logical_Switch.ports');
    expect(ports).toMatchObject({ code: 0, out: '' });
  });

  test('what a partial dump leaves out is not compared', async () => {
    const file = await dumpOf(server.endpoint, 'partial.json', 'Logical_Switch.name');
    expect(await run('diff', file, server.endpoint)).toEqual({ code: 0, out: '', err: '' });
    expect(await run('diff', server.endpoint, file)).toEqual({ code: 0, out: '', err: '' });
  });

  test('a column that only the newer schema has counts as being at its default', async () => {
    const schema = JSON.parse(readFileSync(NB_SCHEMA, 'utf8')) as {
      tables: Record<string, { columns: Record<string, unknown> }>;
    };
    delete schema.tables['Logical_Switch']?.columns['copp'];
    delete schema.tables['Logical_Switch']?.columns['other_config'];
    const text = readFileSync(await dumpOf(server.endpoint, 'new.json'), 'utf8');
    const dump = JSON.parse(text) as { tables: Record<string, Record<string, Record<string, unknown>>> };
    for (const row of Object.values(dump.tables['Logical_Switch'] ?? {})) {
      delete row['copp'];
      delete row['other_config'];
    }
    const file = path.join(folder, 'old.json');
    writeFileSync(file, JSON.stringify({ ...dump, schema }));
    expect(await run('diff', file, server.endpoint)).toMatchObject({ code: 0 });
  });

  test('files that are something else are told from dumps', async () => {
    const damaged = path.join(folder, 'damaged.json');
    const text = readFileSync(await dumpOf(server.endpoint, 'whole.json'), 'utf8');
    writeFileSync(damaged, text.replaceAll('"name":"web"', '"name":7'));
    const cluster = path.join(folder, 'cluster.db');
    writeFileSync(cluster, 'OVSDB CLUSTER 1 2\n');
    for (const [file, message] of [
      [server.file, 'is the file of a standalone database, which only ovsdb-server reads'],
      [cluster, 'is the file of a clustered database'],
      [NB_SCHEMA, 'is a schema: it has no rows to compare'],
      [damaged, '.name: 7 is not of type string'],
      [path.join(import.meta.dirname, 'ovsdb.test.ts'), 'is not JSON'],
      ['/nowhere', '/nowhere does not exist'],
      [folder, 'is a folder'],
    ] as const) {
      const { code, out, err } = await run('diff', file, server.endpoint);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain(message);
    }
  });

  test.each([
    [['--by', 'uuid,name'], '--by uuid stands alone'],
    [['--by', 'name,'], 'has an empty key'],
    [['--ignore', 'Nope'], '--ignore: OVN_Northbound has no table "Nope"'],
    [['Nope'], 'has no table "Nope"'],
    [['--nope'], "Unknown option '--nope'"],
  ])('%j ends with 2, not with "different"', async (words, message) => {
    const { code, err } = await run('diff', server.endpoint, other.endpoint, ...words);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

describe('generate', () => {
  test.each(SCHEMAS)('%s has types, from the file, from a server and from a dump alike', async (file) => {
    const own = await startOvsdbServer({ schemaFile: file });
    const fromFile = await run('generate', file);
    expect(fromFile).toMatchObject({ code: 0, err: '' });
    expect(fromFile.out).toContain('Tables {');
    const dump = path.join(folder, 'dump.json');
    writeFileSync(dump, (await run('dump', own.endpoint, '--format', 'json')).out);
    const output = path.join(folder, 'types.ts');
    expect(await run('generate', own.endpoint, '-o', output)).toEqual({ code: 0, out: '', err: '' });
    expect(readFileSync(output, 'utf8')).toBe(fromFile.out);
    expect((await run('generate', dump)).out).toBe(fromFile.out);
    await own.stop();
  });

  test.each([
    [[NB_SCHEMA, 'Logical_Swich'], 'has no table "Logical_Swich"; did you mean Logical_Switch?'],
    [['/nowhere'], '/nowhere does not exist'],
    [[path.join(import.meta.dirname, 'ovsdb.test.ts')], 'is not JSON'],
    [[NB_SCHEMA, '-o', '/nowhere/x.ts'], '/nowhere/x.ts cannot be written'],
  ])('%j is refused with a sentence', async (words, message) => {
    const { code, out, err } = await run('generate', ...words);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(message);
  });
});

test('the guide shows what the program prints', async () => {
  const guide = readFileSync(path.join(import.meta.dirname, '../../docs/ovsdb.md'), 'utf8');
  const blocks = [...guide.matchAll(/^```text\n(.*?)^```$/gms)].map(([, text = '']) => text);
  expect(blocks).toHaveLength(3);
  const [dumped = '', followed = '', faults = ''] = blocks.map(settled);
  const own = await startOvsdbServer({ schemaFile: NB_SCHEMA });
  nbctl(own.endpoint, ...'ls-add web -- lsp-add web web-1 -- lsp-add web web-2'.split(' '));
  nbctl(own.endpoint, 'lsp-set-addresses', 'web-1', '0a:00:00:00:00:01 10.0.0.1');
  nbctl(
    own.endpoint,
    ...'acl-add web to-lport 7 ip4 drop -- set Logical_Switch web external_ids:site=berlin'.split(' '),
  );
  const { out } = await run('dump', own.endpoint);
  for (const row of dumped.trimEnd().split('\n\n')) expect(settled(out)).toContain(`${row}\n`);

  let isFollowing = false;
  const words = ['ovsdb', 'monitor', own.endpoint, '--initial', '--count', '1'];
  const monitor = runWith(words, { onOut: () => (isFollowing = true) });
  await until(() => isFollowing);
  const change = 'lsp-add web web-3 -- set Logical_Switch web external_ids:site=paris external_ids:owner=ann';
  nbctl(own.endpoint, ...change.split(' '));
  expect(settled((await monitor).out)).toContain(followed);

  const operations = [
    { op: 'insert', table: 'Logical_Switch', row: { nam: 'x' } },
    { op: 'wait', table: 'ACL', where: [], columns: [], until: '==', rows: [] },
  ];
  expect((await run('transact', own.endpoint, JSON.stringify(operations))).err).toBe(faults);
  await own.stop();
});

/** Output without what differs from run to run. */
function settled(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replaceAll(/#[0-9a-f]{8}/g, '#UUID');
}
