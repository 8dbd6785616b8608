import { execFile } from 'node:child_process';
import net from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { promisify } from 'node:util';
import { type ExactJson, parseExactly, printExactly } from '../fuzz/exact-json.ts';

/** Rows by `TABLE/UUID`, as `ovsdb-client dump` prints them. */
export type TruthRows = ReadonlyMap<string, Readonly<Record<string, ExactJson>>>;

/** The whole database by ovsdb-client(1): a transaction of its own, in a program of its own. */
export async function dumpTruth(endpoint: string, database: string): Promise<TruthRows> {
  const { stdout } = await promisify(execFile)(
    'ovsdb-client',
    ['--timeout=60', '--format=json', 'dump', endpoint, database],
    { maxBuffer: 1 << 28 },
  );
  const rows = new Map<string, Readonly<Record<string, ExactJson>>>();
  for (const line of stdout.split('\n').filter((text) => text !== '')) {
    const { caption, headings, data } = parseExactly(line) as unknown as {
      readonly caption: string;
      readonly headings: readonly string[];
      readonly data: readonly (readonly ExactJson[])[];
    };
    for (const cells of data) {
      const { _uuid, ...columns } = Object.fromEntries(headings.map((name, at) => [name, cells[at] ?? null]));
      rows.set(`${caption.replace(/ table$/, '')}/${(_uuid as readonly ['uuid', string])[1]}`, columns);
    }
  }
  return rows;
}

interface WaitingTransaction {
  readonly resolve: (results: readonly ExactJson[]) => void;
  readonly reject: (error: Error) => void;
}

/** A connection that only writes, without a line of the client under test. */
export interface RawWriter {
  /** Resolves with what each operation answered (RFC 7047 4.1.3). */
  transact(operations: readonly ExactJson[]): Promise<readonly ExactJson[]>;
  close(): void;
}

export async function connectWriter(socketPath: string, database: string): Promise<RawWriter> {
  const socket = net.connect(socketPath);
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const waiting = new Map<bigint, WaitingTransaction>();
  const decoder = new StringDecoder('utf8');
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    const { messages, rest } = cut(text + decoder.write(chunk));
    text = rest;
    for (const message of messages) {
      const { id, method, params, result } = parseExactly(message) as Readonly<Record<string, ExactJson>>;
      // The server asks whether anybody is there.
      if (method === 'echo')
        socket.write(printExactly({ id: id ?? null, result: params ?? [], error: null }));
      else waiting.get(id as bigint)?.resolve(result as readonly ExactJson[]);
      waiting.delete(id as bigint);
    }
  });
  socket.once('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the connection ended'));
  });
  let nextId = 0n;
  return {
    transact: (operations) =>
      new Promise((resolve, reject) => {
        waiting.set(nextId, { resolve, reject });
        socket.write(printExactly({ id: nextId++, method: 'transact', params: [database, ...operations] }));
      }),
    close: () => socket.destroy(),
  };
}

/** The complete objects at the start of a stream, and what follows them. */
function cut(stream: string): { readonly messages: readonly string[]; readonly rest: string } {
  const messages: string[] = [];
  let [start, depth] = [0, 0];
  for (const { 0: token, index } of stream.matchAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}]/gs)) {
    if (token === '{') depth++;
    if (token !== '}' || --depth > 0) continue;
    messages.push(stream.slice(start, index + 1));
    start = index + 1;
  }
  return { messages, rest: stream.slice(start) };
}
