import { type Frame, frameBytes } from './framing.ts';
import { parseJson } from './json.ts';
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

/** `<table-updates>` of any version: table, then row uuid, then what happened to the row. */
export type TableUpdates = Readonly<Record<string, Readonly<Record<string, RowUpdate>>>>;

/** `<row-update>` (RFC 7047 4.1.6) and `<row-update2>` (ovsdb-server(7) 4.1.14) in one. */
export type RowUpdate = Readonly<Record<string, Readonly<Record<string, unknown>> | null>>;

/**
 * Reads one message.
 *
 * @throws ProtocolError when it is not JSON or not JSON-RPC.
 */
export function readMessage(frame: Frame): Message {
  return toMessage(parseText(frameText(frame)));
}

/** A large message whose table updates are still text. */
export interface PiecewiseMessage {
  /** The message with empty table updates. */
  readonly message: Message;
  /** The table updates in parts of a few thousand rows at most; each part is parsed when it is asked for. */
  readonly pieces: Iterable<TableUpdates>;
}

/**
 * Reads a large monitor reply or update notification so that it can be parsed in pieces, which keeps the event loop free
 * and never makes one huge string. Undefined when the message has another form: then `readMessage` reads it.
 */
export function readInPieces(frame: Frame, pieceBytes: number = PIECE_BYTES): PiecewiseMessage | undefined {
  const bytes = frameBytes(frame);
  const start = bytes.indexOf(OPEN_BRACE, 1) + 1;
  const end = bytes.lastIndexOf(CLOSE_BRACE, bytes.length - 2);
  if (start === 0 || start > MAX_HEAD_BYTES || end < start) return undefined;
  const head = bytes.toString('utf8', 0, start);
  if (!UPDATES_HEAD.test(head)) return undefined;
  const tail = bytes.toString('utf8', end);
  if (tail.length > MAX_HEAD_BYTES) return undefined;
  return {
    message: toMessage(parseText(head + tail)),
    pieces: cutAtRows(bytes, start, end, frame.isAscii ? 'latin1' : 'utf8', pieceBytes),
  };
}

/** Measured on 50 MB replies: smaller pieces cost more parsing, larger ones stall the event loop. */
const PIECE_BYTES = 64 * 1024;
const MAX_HEAD_BYTES = 1024;
const UPDATES_HEAD = /"result":(?:\[(?:true|false),"[^"]*",)?\{$|"params":\["[^"]*",(?:"[^"]*",)?\{$/;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Parses `bytes` from `start` to `end` (the members of a table-updates object) in pieces that end where a row ends. */
function* cutAtRows(
  bytes: Buffer,
  start: number,
  end: number,
  encoding: 'latin1' | 'utf8',
  pieceBytes: number,
): Generator<TableUpdates, void> {
  let prefix = '{';
  let pieceStart = start;
  let depth = 1;
  let tableKey = '';
  let at = start;
  while (at < end) {
    const byte = bytes[at++];
    if (byte === QUOTE) {
      at = skipString(bytes, at);
    } else if (byte === OPEN_BRACE) {
      if (depth === 1) tableKey = keyBefore(bytes, at - 1);
      depth++;
    } else if (byte === CLOSE_BRACE) {
      depth--;
      if (depth !== 2 || at - pieceStart < pieceBytes || bytes[at] !== COMMA) continue;
      yield parseText(`${prefix}${bytes.toString(encoding, pieceStart, at)}}}`) as TableUpdates;
      prefix = `{${tableKey}:{`;
      pieceStart = at + 1;
    }
  }
  yield parseText(`${prefix}${bytes.toString(encoding, pieceStart, end)}}`) as TableUpdates;
}

function skipString(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at++];
    if (byte === QUOTE) break;
    if (byte === BACKSLASH) at++;
  }
  return at;
}

/** The quoted key whose value opens at `brace`. Table names hold no escapes (RFC 7047 3.1 `<id>`). */
function keyBefore(bytes: Buffer, brace: number): string {
  const last = bytes.lastIndexOf(QUOTE, brace);
  const first = bytes.lastIndexOf(QUOTE, last - 1);
  return bytes.toString('utf8', first, last + 1);
}

function frameText(frame: Frame): string {
  return frameBytes(frame).toString(frame.isAscii ? 'latin1' : 'utf8');
}

function parseText(text: string): unknown {
  try {
    return parseJson(text);
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
