import type { UpdateReader } from '../protocol/update-reader.ts';
import type { Value } from '../protocol/value.ts';

/**
 * Lets rows share equal values, because types, owners and labels repeat over thousands of rows. It holds the values of
 * columns of one type that were read last, by the bytes that they were read from. A value has two places; when both are
 * taken by others, the one that came last has to go.
 */
export class ValueCache {
  readonly #texts: string[] = Array<string>(CAPACITY).fill('');
  readonly #values: Value[] = Array<Value>(CAPACITY).fill(undefined);

  /** The value that is the reader's span; `decode` makes it when it is not known. */
  share(reader: UpdateReader, decode: () => Value): Value {
    if (reader.to - reader.from > MAX_LENGTH) return decode();
    // FNV's low bits depend on the low bits of each byte alone; the high ones on everything.
    let place = reader.hash >>> PLACE_SHIFT;
    if (reader.spells(this.#texts[place] as string)) return this.#values[place];
    if (this.#texts[place] !== '') {
      place = (reader.hash ^ place) & (CAPACITY - 1);
      if (reader.spells(this.#texts[place] as string)) return this.#values[place];
    }
    const value = decode();
    this.#texts[place] = reader.spelling();
    this.#values[place] = value;
    return value;
  }
}

const CAPACITY_BITS = 10;
const CAPACITY = 1 << CAPACITY_BITS;
const PLACE_SHIFT = 32 - CAPACITY_BITS;
/** What is longer hardly repeats. */
const MAX_LENGTH = 256;
