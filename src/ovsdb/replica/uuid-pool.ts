import type { Uuid } from '../protocol/value.ts';

/** Finds the uuid of a row that is in the replica already. */
export type KnownUuid = (table: string, uuid: Uuid) => Uuid | undefined;

/**
 * Lets a row and all that refer to it share one uuid, which is found by its bytes: a Map would need the text first, only
 * to throw most of them away.
 */
export class UuidPool {
  readonly #known: KnownUuid | undefined;
  #uuids: (Uuid | undefined)[] = blank(FIRST_CAPACITY);
  #hashes: Int32Array = new Int32Array(FIRST_CAPACITY);
  #count = 0;

  /** `known` is asked for a uuid that is new to the pool. */
  constructor(known?: KnownUuid) {
    this.#known = known;
  }

  /** The one text for the uuid that starts at `from` and names a row of `table`; undefined when that is no uuid. */
  share(bytes: Buffer, from: number, table: string): Uuid | undefined {
    const hash = hashAt(bytes, from);
    const last = this.#uuids.length - 1;
    let slot = hash & last;
    for (;;) {
      const uuid = this.#uuids[slot];
      if (uuid === undefined) break;
      if (this.#hashes[slot] === hash && standsAt(uuid, bytes, from)) return uuid;
      slot = (slot + 1) & last;
    }
    if (!isUuidAt(bytes, from)) return undefined;
    const text = bytes.toString('latin1', from, from + UUID_LENGTH) as Uuid;
    const uuid = this.#known?.(table, text) ?? text;
    this.#uuids[slot] = uuid;
    this.#hashes[slot] = hash;
    this.#count++;
    if (this.#count * 2 > this.#uuids.length) this.#resize(this.#uuids.length * 4);
    return uuid;
  }

  /** Forgets all uuids. */
  clear(): void {
    if (this.#count === 0) return;
    this.#count = 0;
    this.#uuids = [];
    this.#resize(FIRST_CAPACITY);
  }

  #resize(capacity: number): void {
    const [uuids, hashes] = [this.#uuids, this.#hashes];
    this.#uuids = blank(capacity);
    this.#hashes = new Int32Array(capacity);
    for (let old = 0; old < uuids.length; old++) {
      const uuid = uuids[old];
      if (uuid === undefined) continue;
      const hash = hashes[old] as number;
      let slot = hash & (capacity - 1);
      while (this.#uuids[slot] !== undefined) slot = (slot + 1) & (capacity - 1);
      this.#uuids[slot] = uuid;
      this.#hashes[slot] = hash;
    }
  }
}

/** How many characters a uuid has. */
export const UUID_LENGTH = 36;

/** A power of two, as every capacity: the low bits of a hash are the slot. */
const FIRST_CAPACITY = 64;

function blank(capacity: number): (Uuid | undefined)[] {
  return Array<Uuid | undefined>(capacity).fill(undefined);
}

function hashAt(bytes: Buffer, from: number): number {
  let hash = 0;
  for (let at = from; at < from + UUID_LENGTH; at++)
    hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  // Multiplying carries upwards only: bring what the high bits know down to the slot.
  return hash ^ (hash >>> 15);
}

/** `isUuid` for bytes. */
function isUuidAt(bytes: Buffer, from: number): boolean {
  for (let at = 0; at < UUID_LENGTH; at++) {
    const byte = bytes[from + at] as number;
    const isDash = at === 8 || at === 13 || at === 18 || at === 23;
    if (isDash ? byte !== 0x2d : !((byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66)))
      return false;
  }
  return true;
}

function standsAt(uuid: string, bytes: Buffer, from: number): boolean {
  for (let at = 0; at < UUID_LENGTH; at++) {
    if (uuid.charCodeAt(at) !== bytes[from + at]) return false;
  }
  return true;
}
