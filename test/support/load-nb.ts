import net from 'node:net';
import type { NbRow, NbState, NbValue, Ref, RowKey } from '../../src/model/nb.ts';

const ROOT_TABLES = [
  'Logical_Switch',
  'Logical_Router',
  'Load_Balancer',
  'DHCP_Options',
  'Port_Group',
  'Address_Set',
];

/** Makes NB hold exactly the rows: everything else is deleted in the same transaction. */
export async function loadNb(endpoint: string, nb: NbState): Promise<void> {
  const names = new Map<RowKey, string>([...nb.rows.keys()].map((key, index) => [key, `row${index}`]));
  const children = new Map<RowKey, Record<string, unknown[]>>();
  for (const { key, parent } of nb.rows.values()) {
    if (parent === undefined) continue;
    const columns = children.get(parent.key) ?? {};
    (columns[parent.column] ??= []).push(['named-uuid', names.get(key)]);
    children.set(parent.key, columns);
  }
  const operations = [
    ...ROOT_TABLES.map((table) => ({ op: 'delete', table, where: [] })),
    ...[...nb.rows.values()].map((row) => insertOf(row, names, children.get(row.key) ?? {})),
  ];
  const results = await transact(endpoint, operations);
  const failed = results.findIndex((result) => result === null || 'error' in result);
  if (failed >= 0) {
    throw new Error(`${JSON.stringify(operations[failed])}: ${JSON.stringify(results[failed])}`);
  }
}

function insertOf(
  row: NbRow,
  names: ReadonlyMap<RowKey, string>,
  children: Readonly<Record<string, unknown[]>>,
): object {
  const columns: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(row.columns)) columns[column] = wireValue(value, names);
  for (const [column, members] of Object.entries(children)) columns[column] = ['set', members];
  return { op: 'insert', table: row.table, row: columns, 'uuid-name': names.get(row.key) };
}

function wireValue(value: NbValue, names: ReadonlyMap<RowKey, string>): unknown {
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    return [
      'set',
      value.map((each: string | Ref) => (typeof each === 'string' ? each : wireRef(each, names))),
    ];
  }
  if ('ref' in value) return wireRef(value as Ref, names);
  return ['map', Object.entries(value)];
}

function wireRef({ ref }: Ref, names: ReadonlyMap<RowKey, string>): unknown {
  const name = names.get(ref);
  if (name === undefined) throw new Error(`a reference to ${ref}, which is not there`);
  return ['named-uuid', name];
}

/** One transaction over a connection of its own. */
function transact(endpoint: string, operations: readonly object[]): Promise<readonly (object | null)[]> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(endpoint.replace(/^unix:/, ''));
    let reply = '';
    socket.setEncoding('utf8');
    socket.once('error', reject);
    socket.on('data', (text: string) => {
      reply += text;
      const parsed = parse(reply);
      if (parsed === undefined) return;
      socket.destroy();
      resolve(parsed.result);
    });
    socket.write(JSON.stringify({ id: 1, method: 'transact', params: ['OVN_Northbound', ...operations] }));
  });
}

function parse(text: string): { readonly result: readonly (object | null)[] } | undefined {
  try {
    return JSON.parse(text) as { readonly result: readonly (object | null)[] };
  } catch {
    return undefined;
  }
}
