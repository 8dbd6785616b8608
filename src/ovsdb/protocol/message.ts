import { parseJson } from './json.ts';
import { UpdateReader } from './update-reader.ts';
import { ProtocolError } from './value.ts';

/** A JSON-RPC 1.0 message as OVSDB uses it: RFC 7047 4. */
export type Message =
  | {
      readonly kind: 'request';
      readonly id: unknown;
      readonly method: string;
      readonly params: readonly unknown[];
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: readonly unknown[] }
  | { readonly kind: 'reply'; readonly id: unknown; readonly result: unknown; readonly error: unknown };

/**
 * Reads one message.
 *
 * @throws ProtocolError when it is not JSON or not JSON-RPC.
 */
export function readMessage(bytes: Buffer): Message {
  return toMessage(parseText(bytes));
}

/** A monitor's reply or update whose table updates are still bytes. */
export interface UpdateMessage {
  /** The message with empty table updates. */
  readonly message: Message;
  readonly updates: UpdateReader;
}

/**
 * Reads a message that brings table updates, so that its rows can be read straight from the bytes. Undefined when the
 * message brings none, or is written in another way than servers do: then `readMessage` reads it.
 */
export function readUpdateMessage(bytes: Buffer): UpdateMessage | undefined {
  const start = bytes.indexOf(OPEN_BRACE, 1) + 1;
  if (start === 0 || start > MAX_HEAD_BYTES) return undefined;
  const head = bytes.toString('utf8', 0, start);
  if (!UPDATES_HEAD.test(head)) return undefined;
  const end = bytes.lastIndexOf(CLOSE_BRACE, bytes.length - 2);
  if (end < start || bytes.length - end > MAX_HEAD_BYTES) return undefined;
  const message = toMessage(parseText(Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)])));
  return { message, updates: new UpdateReader(bytes, start, end) };
}

const MAX_HEAD_BYTES = 1024;
/** What a monitor's reply or an update begins with, up to the brace that opens its table updates. */
const UPDATES_HEAD =
  /"result":(?:\[(?:true|false),"[^"]*",)?\{$|"method":"update[23]?",.*"params":\["[^"]*",(?:"[^"]*",)?\{$/s;

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

function parseText(bytes: Buffer): unknown {
  try {
    return parseJson(bytes.toString('utf8'));
  } catch (error) {
    throw new ProtocolError('a message is not JSON', { cause: error });
  }
}

function toMessage(json: unknown): Message {
  const { id = null, method, params, result = null, error = null } = json as Record<string, unknown>;
  if (method === undefined) {
    if (id === null) throw new ProtocolError('a message is neither a request nor a reply');
    return { kind: 'reply', id, result, error };
  }
  if (typeof method !== 'string') throw new ProtocolError('a method is not a string');
  const list: readonly unknown[] = Array.isArray(params) ? params : [];
  return id === null
    ? { kind: 'notification', method, params: list }
    : { kind: 'request', id, method, params: list };
}
