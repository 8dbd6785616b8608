import { ProtocolError } from './value.ts';

/** The bytes of one complete top-level JSON object. */
export interface Frame {
  readonly parts: readonly Uint8Array[];
  readonly length: number;
  /** No byte is above 0x7f: the text can be read without decoding UTF-8. */
  readonly isAscii: boolean;
}

export interface FrameLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
}

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
  #seenBits = 0;

  constructor(limits: FrameLimits = DEFAULT_FRAME_LIMITS) {
    this.#limits = limits;
  }

  /**
   * Takes the next chunk and returns the messages that it completes.
   *
   * @throws ProtocolError when the stream is not a sequence of JSON objects within the limits.
   */
  push(chunk: Uint8Array): readonly Frame[] {
    const frames: Frame[] = [];
    let start = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#inString) {
        at = this.#skipString(chunk, at);
        continue;
      }
      const byte = chunk[at++] as number;
      this.#seenBits |= byte;
      const step = DEPTH_STEP[byte] as number;
      if (step === 0) {
        if (byte === QUOTE) this.#inString = true;
        if (this.#depth > 0) continue;
        if (!isWhitespace(byte))
          throw new ProtocolError('the stream holds something other than JSON objects');
        start = at;
        continue;
      }
      this.#move(step, byte);
      if (this.#depth > 0) continue;
      this.#add(chunk.subarray(start, at));
      frames.push({ parts: this.#parts, length: this.#length, isAscii: this.#seenBits < 0x80 });
      this.#parts = [];
      this.#length = 0;
      this.#seenBits = 0;
      start = at;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
    return frames;
  }

  #skipString(chunk: Uint8Array, from: number): number {
    let at = from;
    let bits = this.#seenBits;
    if (this.#escaped) {
      bits |= chunk[at++] as number;
      this.#escaped = false;
    }
    while (at < chunk.length) {
      const byte = chunk[at++] as number;
      bits |= byte;
      if (byte === QUOTE) {
        this.#inString = false;
        break;
      }
      if (byte !== BACKSLASH) continue;
      if (at === chunk.length) this.#escaped = true;
      else bits |= chunk[at++] as number;
    }
    this.#seenBits = bits;
    return at;
  }

  #move(step: number, byte: number): void {
    if (this.#depth === 0 && byte !== OPEN_BRACE) {
      throw new ProtocolError('the stream holds something other than JSON objects');
    }
    this.#depth += step;
    if (this.#depth > this.#limits.maxDepth) {
      throw new ProtocolError(`a message is nested more than ${this.#limits.maxDepth} deep`);
    }
  }

  #add(part: Uint8Array): void {
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length > this.#limits.maxBytes) {
      throw new ProtocolError(`a message is larger than ${this.#limits.maxBytes} bytes`);
    }
  }
}

/** What no real database comes near: 1 GiB and 64 levels. */
export const DEFAULT_FRAME_LIMITS: FrameLimits = { maxBytes: 1 << 30, maxDepth: 64 };

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
