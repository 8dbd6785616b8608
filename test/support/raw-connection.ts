import net from 'node:net';
import { StringDecoder } from 'node:string_decoder';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Rows of one table as the server writes them, by uuid. */
export type RawRows = ReadonlyMap<string, Readonly<Record<string, Json>>>;

export interface RawConnection {
  /** Resolves with the result of a request; rejects with its error, or when the connection ends first. */
  request(method: string, params: readonly Json[]): Promise<Json>;
  /** Reads whole tables in one transaction. */
  select(database: string, tables: readonly string[]): Promise<ReadonlyMap<string, RawRows>>;
  /** Resolves when the connection is over. */
  readonly ended: Promise<void>;
  close(): void;
}

/**
 * A JSON-RPC connection that shares no code with the client under test: what it reads is what the server says. Takes
 * `unix:PATH` and `tcp:HOST:PORT`.
 */
export async function connectRaw(
  endpoint: string,
  onNotification: (method: string, params: readonly Json[]) => void = () => {},
): Promise<RawConnection> {
  const [kind, host = '', port] = endpoint.split(':');
  const socket = kind === 'unix' ? net.connect(host) : net.connect(Number(port), host);
  const waiting = new Map<
    number,
    { readonly resolve: (result: Json) => void; readonly reject: (error: Error) => void }
  >();
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  socket.on('error', () => {});
  socket.once('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the connection ended'));
  });
  readObjects(socket, (text) => {
    const message = JSON.parse(text) as Record<string, Json>;
    const { id = null, method, params, result = null, error = null } = message;
    if (typeof method === 'string') {
      if (id === null) onNotification(method, params as readonly Json[]);
      else socket.write(JSON.stringify({ id, result: params ?? [], error: null }));
      return;
    }
    const request = waiting.get(id as number);
    waiting.delete(id as number);
    if (error === null) request?.resolve(result);
    else request?.reject(new Error(JSON.stringify(error)));
  });
  let nextId = 1;
  const request = (method: string, params: readonly Json[]): Promise<Json> =>
    new Promise((resolve, reject) => {
      if (socket.destroyed) return reject(new Error('the connection ended'));
      waiting.set(nextId, { resolve, reject });
      socket.write(JSON.stringify({ id: nextId++, method, params }));
    });
  return {
    request,
    ended,
    select: async (database, tables) => {
      const operations = tables.map((table) => ({ op: 'select', table, where: [] }));
      const results = await request('transact', [database, ...operations]);
      return new Map(tables.map((table, at) => [table, rowsOf((results as readonly Json[])[at] ?? null)]));
    },
    close: () => socket.destroy(),
  };
}

function rowsOf(result: Json): RawRows {
  const { rows } = (result ?? {}) as { readonly rows?: readonly Readonly<Record<string, Json>>[] };
  if (rows === undefined) throw new Error(`select: ${JSON.stringify(result)}`);
  return new Map(rows.map((row) => [(row['_uuid'] as readonly string[])[1] as string, row]));
}

/** Cuts a stream into its top-level objects, by counting braces outside strings. */
function readObjects(socket: net.Socket, onObject: (text: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let text = '';
  let at = 0;
  let depth = 0;
  let isString = false;
  socket.on('data', (chunk: Buffer) => {
    text += decoder.write(chunk);
    for (; at < text.length; at += 1) {
      const character = text[at];
      if (isString) {
        if (character === '\\') at += 1;
        else if (character === '"') isString = false;
      } else if (character === '"') isString = true;
      else if (character === '{') depth += 1;
      else if (character === '}') {
        depth -= 1;
        if (depth > 0) continue;
        onObject(text.slice(0, at + 1));
        text = text.slice(at + 1);
        at = -1;
      }
    }
  });
}
