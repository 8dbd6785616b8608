import type { Atom } from '../protocol/value.ts';

/**
 * Gives equal strings and equal maps one shared copy, because names of owners, types and labels repeat over thousands of
 * rows. It forgets everything when it is full: sharing saves memory and is never needed to be right.
 */
export class Interner {
  readonly #capacity: number;
  readonly #texts = new Map<string, string>();
  readonly #maps = new Map<string, ReadonlyMap<Atom, Atom>>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  readonly text = (text: string): string => {
    // Long texts hardly repeat; looking them up costs more than it saves.
    if (text.length > MAX_TEXT_LENGTH) return text;
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= this.#capacity) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  };

  map(map: ReadonlyMap<Atom, Atom>): ReadonlyMap<Atom, Atom> {
    if (map.size > MAX_MAP_SIZE) return map;
    let key = '';
    // The type is part of the key: 1 and "1" are different atoms.
    for (const [k, v] of map) key += `${typeof k}\0${String(k)}\0${typeof v}\0${String(v)}\0`;
    const known = this.#maps.get(key);
    if (known !== undefined) return known;
    if (this.#maps.size >= this.#capacity) this.#maps.clear();
    this.#maps.set(key, map);
    return map;
  }
}

const MAX_TEXT_LENGTH = 64;
const MAX_MAP_SIZE = 8;
