import { ProtocolError } from './value.ts';

/** The bytes of one complete top-level JSON object. */
export interface Frame {
  readonly parts: readonly Uint8Array[];
  readonly length: number;
}

/** What is refused, by giving up the connection: the reason names the limit. */
export interface Limits {
  /** Bytes of one message; a first copy is one message. Default 1 GiB. */
  readonly maxMessageBytes: number;
  /** How deep a message may be nested. Default 64; OVSDB needs 12. */
  readonly maxNesting: number;
  /** Rows in the replica, over all tables. Default 10 million. */
  readonly maxRows: number;
}

/** What no real database comes near. */
export const DEFAULT_LIMITS: Limits = { maxMessageBytes: 1 << 30, maxNesting: 64, maxRows: 10_000_000 };

type FrameLimits = Pick<Limits, 'maxMessageBytes' | 'maxNesting'>;

/**
 * Cuts a byte stream into JSON-RPC messages. Each byte is looked at once, wherever the stream is cut, and nothing is
 * copied: a frame is a list of views of the chunks.
 */
export class Framer {
  readonly #limits: FrameLimits;
  #parts: Uint8Array[] = [];
  #length = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;

  constructor(limits: FrameLimits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  /**
   * Takes the next chunk and returns the messages that it completes.
   *
   * @throws ProtocolError when the stream is not a sequence of JSON objects within the limits.
   */
  push(chunk: Uint8Array): readonly Frame[] {
    const frames: Frame[] = [];
    // Locals, because a field that is written for each byte costs more than the rest of the loop.
    let depth = this.#depth;
    let start = 0;
    let at = this.#inString ? this.#skipString(chunk, 0) : 0;
    while (at < chunk.length) {
      const byte = chunk[at++] as number;
      if (byte === QUOTE && depth > 0) {
        at = this.#skipString(chunk, at);
        continue;
      }
      const step = DEPTH_STEP[byte] as number;
      if (depth > 0 && step === 0) continue;
      if (depth === 0 && byte !== OPEN_BRACE) {
        if (!isWhitespace(byte))
          throw new ProtocolError('the stream holds something other than JSON objects');
        start = at;
        continue;
      }
      depth += step;
      if (depth > this.#limits.maxNesting) {
        throw new ProtocolError(`a message is nested more than ${this.#limits.maxNesting} deep`);
      }
      if (depth > 0) continue;
      this.#add(chunk.subarray(start, at));
      frames.push({ parts: this.#parts, length: this.#length });
      this.#parts = [];
      this.#length = 0;
      start = at;
    }
    this.#depth = depth;
    if (start < chunk.length) this.#add(chunk.subarray(start));
    return frames;
  }

  /** Goes to the end of a string, or of the chunk. */
  #skipString(chunk: Uint8Array, from: number): number {
    let at = from;
    let byte = 0;
    if (this.#escaped) at++;
    this.#escaped = false;
    while (at < chunk.length) {
      byte = chunk[at++] as number;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH && ++at > chunk.length) this.#escaped = true;
    }
    // A quote that was escaped does not end the loop, so the last byte tells; an empty rest leaves the string open.
    this.#inString = byte !== QUOTE;
    return Math.min(at, chunk.length);
  }

  #add(part: Uint8Array): void {
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length > this.#limits.maxMessageBytes) {
      throw new ProtocolError(`a message is larger than ${this.#limits.maxMessageBytes} bytes`);
    }
  }
}

/** The frame's bytes in one piece. */
export function frameBytes(frame: Frame): Buffer {
  const [first] = frame.parts;
  if (frame.parts.length === 1 && first !== undefined) {
    return Buffer.from(first.buffer, first.byteOffset, first.length);
  }
  return Buffer.concat(frame.parts, frame.length);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;

const DEPTH_STEP = new Int8Array(256);
for (const open of '{[') DEPTH_STEP[open.charCodeAt(0)] = 1;
for (const close of '}]') DEPTH_STEP[close.charCodeAt(0)] = -1;

function isWhitespace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
