import type { Uuid } from '../protocol/value.ts';

/** Finds the uuid of a row that is in the replica already. */
export type KnownUuid = (table: string, uuid: Uuid) => Uuid | undefined;

/**
 * Lets a row and all that refer to it share one uuid, which is found by its bytes: a Map would need the text first, only
 * to throw most of them away. The 128 bits of a uuid are read once, and serve to check it, to find it and to compare it.
 */
export class UuidPool {
  readonly #known: KnownUuid | undefined;
  #uuids: (Uuid | undefined)[] = blank(FIRST_CAPACITY);
  /** Four words for each place of `#uuids`. */
  #words: Int32Array = new Int32Array(4 * FIRST_CAPACITY);
  readonly #wanted: Int32Array = new Int32Array(4);
  #count = 0;

  /** `known` is asked for a uuid that is new to the pool. */
  constructor(known?: KnownUuid) {
    this.#known = known;
  }

  /** The one text for the uuid that starts at `from` and names a row of `table`; undefined when that is no uuid. */
  share(bytes: Buffer, from: number, table: string): Uuid | undefined {
    if (!readWords(bytes, from, this.#wanted)) return undefined;
    const place = this.#find(this.#wanted, 0);
    const shared = this.#uuids[place];
    if (shared !== undefined) return shared;
    const text = bytes.toString('latin1', from, from + UUID_LENGTH) as Uuid;
    const uuid = this.#known?.(table, text) ?? text;
    this.#uuids[place] = uuid;
    this.#words.set(this.#wanted, 4 * place);
    this.#count++;
    if (this.#count * 2 > this.#uuids.length) this.#grow();
    return uuid;
  }

  /** Forgets all uuids. */
  clear(): void {
    if (this.#count === 0) return;
    this.#count = 0;
    this.#uuids = blank(FIRST_CAPACITY);
    this.#words = new Int32Array(4 * FIRST_CAPACITY);
  }

  /** The place of the uuid whose words start at `at`, or the free one where it belongs. */
  #find(wanted: Int32Array, at: number): number {
    const [uuids, words] = [this.#uuids, this.#words];
    let place = hashOf(wanted, at) & (uuids.length - 1);
    while (uuids[place] !== undefined && !areEqual(words, 4 * place, wanted, at)) {
      place = (place + 1) & (uuids.length - 1);
    }
    return place;
  }

  #grow(): void {
    const [uuids, words] = [this.#uuids, this.#words];
    this.#uuids = blank(4 * uuids.length);
    this.#words = new Int32Array(4 * words.length);
    for (let old = 0; old < uuids.length; old++) {
      if (uuids[old] === undefined) continue;
      const place = this.#find(words, 4 * old);
      this.#uuids[place] = uuids[old];
      for (let n = 0; n < 4; n++) this.#words[4 * place + n] = words[4 * old + n] as number;
    }
  }
}

/** How many characters a uuid has. */
export const UUID_LENGTH = 36;

/** A power of two, as every capacity: the low bits of a hash are the place. */
const FIRST_CAPACITY = 64;

function blank(capacity: number): (Uuid | undefined)[] {
  return Array<Uuid | undefined>(capacity).fill(undefined);
}

/** Reads the uuid that starts at `from` in the lower-case form; false when there is none. */
function readWords(bytes: Buffer, from: number, words: Int32Array): boolean {
  let all = 0;
  let word = 0;
  for (let n = 0; n < 32; n++) {
    const digit = HEX_DIGITS[bytes[from + (DIGIT_PLACES[n] as number)] as number] as number;
    all |= digit;
    word = (word << 4) | digit;
    if ((n & 7) === 7) words[n >> 3] = word;
  }
  // The sign tells of a byte that was no digit.
  return all >= 0 && DASH_PLACES.every((place) => bytes[from + place] === DASH);
}

function hashOf(words: Int32Array, at: number): number {
  let hash = 0;
  for (let n = at; n < at + 4; n++) hash = Math.imul(hash ^ (words[n] as number), 0x85ebca6b);
  // Multiplying carries upwards only: bring what the high bits know down to the place.
  return hash ^ (hash >>> 15);
}

function areEqual(a: Int32Array, atA: number, b: Int32Array, atB: number): boolean {
  return (
    a[atA] === b[atB] && a[atA + 1] === b[atB + 1] && a[atA + 2] === b[atB + 2] && a[atA + 3] === b[atB + 3]
  );
}

const DASH = 0x2d;
const DASH_PLACES = [8, 13, 18, 23] as const;
const DIGIT_PLACES = Uint8Array.from(
  Array.from({ length: UUID_LENGTH }, (_, place) => place).filter(
    (place) => !(DASH_PLACES as readonly number[]).includes(place),
  ),
);
const HEX_DIGITS = new Int8Array(256).fill(-1);
for (const [digit, text] of '0123456789abcdef'.split('').entries()) HEX_DIGITS[text.charCodeAt(0)] = digit;
