import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseSchema, generateTypes, parseSchema } from '../../src/ovsdb/index.ts';

const ROOT = path.dirname(path.dirname(import.meta.dirname));
const SCHEMAS = {
  nb: '/usr/share/ovn/ovn-nb.ovsschema',
  sb: '/usr/share/ovn/ovn-sb.ovsschema',
  vswitch: '/usr/share/openvswitch/vswitch.ovsschema',
  kinds: path.join(import.meta.dirname, 'schemas', 'kinds.ovsschema'),
} as const;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ovsdb-types-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function schemaOf(json: unknown): DatabaseSchema {
  const schema = parseSchema(json);
  if (!schema.ok) throw new Error(schema.error);
  return schema.value;
}

/** What the compiler says of a program that is in `folder`, besides what it says of the library itself. */
function compile(files: Readonly<Record<string, string>>): readonly string[] {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  const tsconfig = {
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noUnusedLocals: true,
      noEmit: true,
      target: 'es2023',
      module: 'nodenext',
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      typeRoots: [path.join(ROOT, 'node_modules', '@types')],
      types: ['node'],
    },
    files: Object.keys(files),
  };
  writeFileSync(path.join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  const compiler = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout.split('\n').filter((line) => Object.keys(files).some((name) => line.startsWith(`${name}(`)));
}

/** The generated modules, importing the library from where it is. */
function generated(): Record<string, string> {
  const module = path.join(ROOT, 'src', 'ovsdb', 'index.ts');
  return Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, file]) => [
      `${name}.ts`,
      generateTypes(schemaOf(JSON.parse(readFileSync(file, 'utf8'))), { module }),
    ]),
  );
}

test('each table becomes a row, what an insert takes, and a member of the tables', () => {
  const schema = schemaOf({
    name: 'Small_DB',
    version: '1.0.0',
    tables: {
      Logical_Port: {
        columns: {
          tag: { type: { key: { type: 'integer', minInteger: 1, maxInteger: 4095 }, min: 0, max: 1 } },
          type: { type: { key: { type: 'string', enum: ['set', ["it's", 'a"b']] } }, mutable: false },
          modes: { type: { key: { type: 'string', enum: ['set', ['b', 'a']] }, min: 1, max: 'unlimited' } },
        },
      },
      Switch: {
        isRoot: true,
        columns: {
          count: { type: 'integer' },
          ports: {
            type: {
              key: { type: 'uuid', refTable: 'Logical_Port', refType: 'weak' },
              min: 0,
              max: 'unlimited',
            },
          },
          queues: {
            type: { key: 'integer', value: { type: 'uuid', refTable: 'Logical_Port' }, min: 0, max: 8 },
          },
          main: { type: { key: { type: 'uuid', refTable: 'Logical_Port' } } },
          tunnel: { type: 'uuid' },
          up: { type: 'boolean' },
        },
      },
    },
  });
  expect(generateTypes(schema))
    .toBe(`// Generated from the schema of Small_DB 1.0.0 by "ovn-gitops ovsdb generate". Do not edit.
import type { RowName, RowUuid, Uuid } from 'ovn-gitops/ovsdb';

/** A row of Logical_Port. It vanishes when nothing refers to it. */
export interface LogicalPort {
  readonly _uuid: RowUuid<'Logical_Port'>;
  /** at least one */
  readonly modes: readonly ('a' | 'b')[];
  /** 1..4095 */
  readonly tag: number | undefined;
  /** only an insert can give it */
  readonly type: 'a"b' | 'it\\'s';
}

/** What an insert into Logical_Port takes. */
export interface NewLogicalPort {
  readonly modes: readonly ('a' | 'b')[];
  readonly tag?: number | undefined;
  readonly type: 'a"b' | 'it\\'s';
}

/** A row of Switch. */
export interface Switch {
  readonly _uuid: RowUuid<'Switch'>;
  readonly count: number | bigint;
  /** strong reference to Logical_Port */
  readonly main: RowUuid<'Logical_Port'>;
  /** weak reference to Logical_Port */
  readonly ports: readonly RowUuid<'Logical_Port'>[];
  /** strong reference to Logical_Port; 0 to 8 elements */
  readonly queues: ReadonlyMap<number | bigint, RowUuid<'Logical_Port'>>;
  readonly tunnel: Uuid;
  readonly up: boolean;
}

/** What an insert into Switch takes. */
export interface NewSwitch {
  readonly count?: number | bigint;
  readonly main: RowUuid<'Logical_Port'> | RowName<'Logical_Port'>;
  readonly ports?: readonly (RowUuid<'Logical_Port'> | RowName<'Logical_Port'>)[];
  readonly queues?: ReadonlyMap<number | bigint, RowUuid<'Logical_Port'> | RowName<'Logical_Port'>>;
  readonly tunnel?: Uuid;
  readonly up?: boolean;
}

/** The tables of Small_DB, for \`typed\` and \`TypedOperations\`. */
export interface SmallDBTables {
  readonly Logical_Port: { readonly row: LogicalPort; readonly insert: NewLogicalPort };
  readonly Switch: { readonly row: Switch; readonly insert: NewSwitch };
}
`);
});

test('tables whose names come close to each other, or to names of the module, get names of their own', () => {
  const table = { columns: { a: { type: 'string' } } };
  const names = ['A_B', 'AB', 'New_AB', 'RowUuid', 'Row_Uuid', 'ReadonlyMap', '_1', 'x', 'Tables_Tables'];
  const schema = schemaOf({
    name: 'Tables',
    tables: Object.fromEntries(names.map((name) => [name, table])),
  });
  const text = generateTypes(schema, { module: path.join(ROOT, 'src', 'ovsdb', 'index.ts') });
  const interfaces = [...text.matchAll(/^export interface (\S+) \{$/gm)].map(([, name]) => name);
  expect(new Set(interfaces).size).toBe(2 * names.length + 1);
  expect(compile({ 'names.ts': text })).toEqual([]);
});

test('only the tables that are asked for are written', () => {
  const schema = schemaOf(JSON.parse(readFileSync(SCHEMAS.nb, 'utf8')));
  const text = generateTypes(schema, { tables: ['Logical_Switch', 'ACL'] });
  expect([...text.matchAll(/^ {2}readonly (\w+): \{ readonly row/gm)].map(([, name]) => name)).toEqual([
    'ACL',
    'Logical_Switch',
  ]);
});

test('the types of real schemas compile, take what is right, and refuse what is wrong', () => {
  const library = path.join(ROOT, 'src', 'ovsdb', 'index.ts');
  const use = `import { type Database, rowName, type RowUuid, typed, TypedOperations, type Uuid } from '${library}';
import type { OpenVSwitchTables } from './vswitch.ts';
import type { OVNNorthboundTables } from './nb.ts';
import type { OVNSouthboundTables } from './sb.ts';

export function right(database: Database, southbound: Database, vswitch: Database): readonly unknown[] {
  const nb = typed<OVNNorthboundTables>(database);
  const names: string[] = [...nb.rows('Logical_Switch').values()].map((row) => row.name);
  const [first] = nb.rows('Logical_Switch').values();
  const port = first?.ports[0];
  const addresses: readonly string[] | undefined = port && nb.row('Logical_Switch_Port', port)?.addresses;
  const priority: number | undefined = [...nb.rows('ACL').values()][0]?.priority;
  const anyUuid: Uuid | undefined = port;
  nb.onChange((changes) => {
    for (const change of changes) if (change.table === 'ACL') names.push(change.after?.match ?? '');
  });
  const write = new TypedOperations<OVNNorthboundTables>(nb.schema);
  const web = rowName<'Logical_Switch_Port'>('web');
  const operations = [
    write.insert('Logical_Switch_Port', { name: 'web-1' }, { name: web }),
    write.insert('Logical_Switch', { name: 'web', ports: [web], external_ids: new Map([['a', 'b']]) }),
    write.insert('ACL', { action: 'allow', direction: 'to-lport', match: 'ip4', priority: 7 }),
    write.update('Logical_Switch', [['name', '==', 'web']], { other_config: new Map() }),
    write.mutate('Logical_Switch', [], [['ports', 'insert', [web]], ['external_ids', 'delete', ['a']]]),
    write.mutate('NB_Global', [], [['nb_cfg', '+=', 1]]),
    write.wait('Logical_Switch', [['name', '==', 'web']], ['name'], '!=', [{ name: 'web' }]),
    write.select('ACL', [['priority', '>', 3]], ['_uuid', 'match']),
    write.delete('ACL', [['direction', '==', 'to-lport']]),
  ];
  void nb.transact(operations);
  const bound = [...typed<OVNSouthboundTables>(southbound).rows('Port_Binding').values()].map((b) => b.chassis);
  const bridges = [...typed<OpenVSwitchTables>(vswitch).rows('Bridge').values()].map((b) => b.fail_mode);
  const mode: ('secure' | 'standalone' | undefined)[] = bridges;
  return [addresses, priority, anyUuid, bound, mode];
}

export function wrong(database: Database): readonly unknown[] {
  const nb = typed<OVNNorthboundTables>(database);
  const write = new TypedOperations<OVNNorthboundTables>(nb.schema);
  const [row] = nb.rows('Logical_Switch').values();
  const acl: RowUuid<'ACL'> | undefined = row?.acls[0];
  return [
    // @ts-expect-error there is no such table
    nb.rows('Logical_Swich'),
    // @ts-expect-error there is no such column
    row?.nam,
    // @ts-expect-error an ACL is no port
    acl && nb.row('Logical_Switch_Port', acl),
    // @ts-expect-error an ACL is no switch
    write.insert('Logical_Switch', {}, { name: rowName<'ACL'>('x') }),
    // @ts-expect-error a text of any kind is no reference
    nb.row('ACL', 'x'),
    // @ts-expect-error rows do not change
    row && (row.name = 'x'),
    // @ts-expect-error there is no such column to insert
    write.insert('Logical_Switch', { nam: 'x' }),
    // @ts-expect-error the direction has no default
    write.insert('ACL', { action: 'allow', match: '', priority: 1 }),
    // @ts-expect-error the action is not one of the enum
    write.insert('ACL', { action: 'alow', direction: 'to-lport', match: '', priority: 1 }),
    // @ts-expect-error a set is an array
    write.insert('Logical_Switch', { ports: new Map() }),
    // @ts-expect-error a port is no ACL
    write.insert('Logical_Switch', { acls: [rowName<'Logical_Switch_Port'>('p')] }),
    // @ts-expect-error the condition is of another type
    write.select('ACL', [['priority', '==', 'high']]),
    // @ts-expect-error there is no such column to look at
    write.select('ACL', [], ['prio']),
    // @ts-expect-error a name has no members
    write.mutate('Logical_Switch', [], [['name', 'insert', ['x']]]),
    // @ts-expect-error sets know no arithmetic
    write.mutate('Logical_Switch', [], [['ports', '+=', 1]]),
    // @ts-expect-error a uuid cannot be updated
    write.update('Logical_Switch', [], { _uuid: row?._uuid }),
  ];
}
`;
  expect(compile({ ...generated(), 'use.ts': use })).toEqual([]);
  // The compiler is at work: one mistake that is not expected is one error.
  const mistake = use.replace('    // @ts-expect-error there is no such table\n', '');
  expect(compile({ ...generated(), 'use.ts': mistake })).toEqual([
    expect.stringContaining('Logical_Swich') as string,
  ]);
});
