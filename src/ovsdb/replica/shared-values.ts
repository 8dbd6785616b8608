import type { ColumnSchema } from '../protocol/schema.ts';
import type { Atom } from '../protocol/value.ts';

/**
 * Lets the rows of one column share equal texts and equal maps, because types, owners and labels repeat over thousands
 * of rows. It gives up on a column whose values hardly repeat (names, addresses): there, looking costs and saves nothing.
 */
export class SharedValues {
  readonly #texts = new Pool<string>();
  readonly #maps = new Pool<ReadonlyMap<Atom, Atom>>();
  readonly #isMap: boolean;

  constructor(column: ColumnSchema) {
    this.#isMap = column.kind === 'map';
  }

  /** The copy to keep of a text. The texts of a map are shared through the map as a whole. */
  readonly text = (text: string): string => {
    if (this.#isMap || !this.#texts.isUseful || text.length > MAX_TEXT_LENGTH) return text;
    return this.#texts.share(text, text);
  };

  /** The copy to keep of a map. */
  map(map: ReadonlyMap<Atom, Atom>): ReadonlyMap<Atom, Atom> {
    if (!this.#maps.isUseful || map.size > MAX_MAP_SIZE) return map;
    let key = '';
    // Both sides have one type each in a column, so their texts tell them apart.
    for (const [k, v] of map) key += `${String(k)}\0${String(v)}\0`;
    return this.#maps.share(key, map);
  }
}

class Pool<T> {
  readonly #known = new Map<string, T>();
  #hits = 0;
  #misses = 0;
  isUseful = true;

  share(key: string, value: T): T {
    const known = this.#known.get(key);
    if (known !== undefined) {
      this.#hits++;
      return known;
    }
    this.#misses++;
    if (this.#misses === TRIAL && this.#hits < TRIAL) {
      this.isUseful = false;
      this.#known.clear();
      return value;
    }
    if (this.#known.size === CAPACITY) this.#known.clear();
    this.#known.set(key, value);
    return value;
  }
}

const MAX_TEXT_LENGTH = 64;
const MAX_MAP_SIZE = 8;
const TRIAL = 1024;
const CAPACITY = 4096;
