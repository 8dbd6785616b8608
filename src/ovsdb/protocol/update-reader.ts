import { parseJson, stringifyJson } from './json.ts';
import { ProtocolError } from './value.ts';

/** `<table-updates>` of any version: table, then row uuid, then what happened to the row. */
export type TableUpdates = Readonly<Record<string, Readonly<Record<string, RowUpdate>>>>;

/** `<row-update>` (RFC 7047 4.1.6) and `<row-update2>` (ovsdb-server(7) 4.1.14) in one. */
export type RowUpdate = Readonly<Record<string, Readonly<Record<string, unknown>> | null>>;

/**
 * Reads `<table-updates>` of any version (RFC 7047 4.1.6, ovsdb-server(7) 4.1.14) row by row, straight from their bytes.
 *
 * A complete copy of a database is tens of megabytes of JSON whose values mostly repeat. Here a value is first a span of
 * bytes with a hash, by which it is found among those that are known; text and objects are only made of new ones. Measured
 * against JSON.parse and decoding: less than half the time and a quarter of the garbage.
 */
export class UpdateReader {
  readonly bytes: Buffer;
  /** The key or value that was read last: where it starts and ends, and a hash of it. */
  from = 0;
  to = 0;
  hash = 0;
  /** The table of the row that `nextRow` found. */
  table = '';
  #at: number;
  #pause = Infinity;
  readonly #start: number;
  readonly #end: number;
  #isPaused = false;
  #isInTable = false;
  #isFirst = true;
  /** The bytes of the last string are its characters: printable ASCII without escapes. */
  #isPlain = false;

  /** Reads the members of the object whose braces stand just before `start` and at `end`. */
  constructor(bytes: Buffer, start: number, end: number) {
    this.bytes = bytes;
    this.#start = start;
    this.#at = start;
    this.#end = end;
  }

  /** Reads updates that were parsed already. @throws ProtocolError when they are something else than an object. */
  static of(updates: TableUpdates): UpdateReader {
    if (typeof updates !== 'object' || updates === null || Array.isArray(updates))
      throw new ProtocolError('table updates are not an object');
    const bytes = Buffer.from(stringifyJson(updates));
    return new UpdateReader(bytes, 1, bytes.length - 1);
  }

  /** All updates at once, for those who want them as JSON. */
  toJson(): TableUpdates {
    this.#at = this.#end;
    return this.#parse(this.#start - 1, this.#end + 1) as TableUpdates;
  }

  /** Makes `nextRow` pause after about this many bytes; without it, it goes on to the end. */
  pauseAfter(bytes: number): void {
    this.#pause = this.#at + bytes;
    this.#isPaused = false;
  }

  /** Whether `nextRow` stopped at a pause, and there may be more. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Goes to the next row: its uuid is the span. False at the end and at a pause. */
  nextRow(): boolean {
    this.#isPaused = this.#at >= this.#pause;
    if (this.#isPaused) return false;
    while (this.#isInTable || this.#peek() >= 0) {
      if (this.#isInTable) {
        if (this.nextMember()) return true;
        this.#isInTable = false;
      } else {
        if (!this.#isFirst) this.#expect(COMMA);
        this.#string();
        this.table = this.text();
        this.#expect(COLON);
        this.enter();
        this.#isInTable = true;
      }
    }
    return false;
  }

  /** Goes into the object that comes next. */
  enter(): void {
    this.#expect(OPEN_BRACE);
    this.#isFirst = true;
  }

  /** Goes to the next member of the object: its key is the span. False after the last one. */
  nextMember(): boolean {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (this.#peek() === CLOSE_BRACE) {
      this.#at++;
      return false;
    }
    if (!isFirst) this.#expect(COMMA);
    this.#string();
    this.#expect(COLON);
    return true;
  }

  /** Goes past the value that comes next: it is the span, quotes and brackets included. */
  value(): void {
    const first = this.#peek();
    if (first === QUOTE) {
      this.#string();
      this.from--;
      this.to++;
    } else if (first === OPEN_BRACKET || first === OPEN_BRACE) {
      this.#nested();
    } else {
      this.#word();
    }
  }

  /** Whether an object comes next. */
  get isObject(): boolean {
    return this.#peek() === OPEN_BRACE;
  }

  /** Whether the span spells `text`, in which each character stands for one byte. */
  spells(text: string): boolean {
    const { bytes, from } = this;
    if (text.length !== this.to - from) return false;
    for (let at = 0; at < text.length; at++) {
      if (text.charCodeAt(at) !== bytes[from + at]) return false;
    }
    return true;
  }

  /** The bytes of the span, one character each: what `spells` compares with. */
  spelling(): string {
    return this.bytes.toString('latin1', this.from, this.to);
  }

  /** The key that is the span. */
  text(): string {
    if (this.#isPlain) return this.spelling();
    return this.#parse(this.from - 1, this.to + 1) as string;
  }

  /** The value that is the span. */
  json(): unknown {
    const { bytes, from, to } = this;
    if (bytes[from] === QUOTE && this.#isPlain) return bytes.toString('latin1', from + 1, to - 1);
    return this.#parse(from, to);
  }

  #parse(from: number, to: number): unknown {
    try {
      return parseJson(this.bytes.toString('utf8', from, to));
    } catch (error) {
      throw new ProtocolError('a message is not JSON', { cause: error });
    }
  }

  #string(): void {
    this.#expect(QUOTE);
    const { bytes } = this;
    let at = this.#at;
    let hash = HASH_START;
    let odd = 0;
    for (;;) {
      const byte = bytes[at++] as number;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) {
        odd = -1;
        at++;
      }
      hash = Math.imul(hash ^ byte, HASH_FACTOR);
      // The sign bit tells a control character, the bits from 0x80 on one beyond ASCII.
      odd |= byte | (byte - 0x20);
      if (at > this.#end) throw new ProtocolError('a message is not JSON: a string does not end');
    }
    this.from = this.#at;
    this.to = at - 1;
    this.hash = hash;
    this.#isPlain = (odd & ~0x7f) === 0;
    this.#at = at;
  }

  #nested(): void {
    const { bytes } = this;
    const from = this.#at;
    let at = from;
    let hash = HASH_START;
    let depth = 0;
    do {
      if (at >= this.#end) throw new ProtocolError('a message is not JSON: a value does not end');
      const byte = bytes[at++] as number;
      hash = Math.imul(hash ^ byte, HASH_FACTOR);
      if (byte === OPEN_BRACKET || byte === OPEN_BRACE) depth++;
      else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth--;
      else if (byte === QUOTE) {
        this.#at = at - 1;
        this.#string();
        hash = Math.imul(hash ^ this.hash, HASH_FACTOR);
        at = this.#at;
      }
    } while (depth > 0);
    this.from = from;
    this.to = this.#at = at;
    this.hash = hash;
  }

  #word(): void {
    const { bytes } = this;
    let at = this.#at;
    let hash = HASH_START;
    while (at < this.#end && isWordByte(bytes[at] as number)) {
      hash = Math.imul(hash ^ (bytes[at++] as number), HASH_FACTOR);
    }
    this.from = this.#at;
    this.to = this.#at = at;
    this.hash = hash;
  }

  #expect(byte: number): void {
    if (this.#peek() !== byte) throw new ProtocolError('a message is not JSON of table updates');
    this.#at++;
  }

  /** The next byte that is no whitespace; -1 at the end. */
  #peek(): number {
    while (this.#at < this.#end) {
      const byte = this.bytes[this.#at] as number;
      if (byte > 0x20 || !isWhitespace(byte)) return byte;
      this.#at++;
    }
    return -1;
  }
}

/** The hash that a span of these bytes has when it is a key. */
export function hashOf(text: string): number {
  let hash = HASH_START;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), HASH_FACTOR);
  return hash;
}

// FNV-1a: one multiplication a byte.
const HASH_START = 0x811c9dc5 | 0;
const HASH_FACTOR = 0x01000193;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Bytes of numbers, `true`, `false` and `null`. */
function isWordByte(byte: number): boolean {
  return byte > 0x20 && byte !== COMMA && byte !== CLOSE_BRACE && byte !== CLOSE_BRACKET;
}

function isWhitespace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
