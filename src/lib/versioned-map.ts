/**
 * A map of which every version stays readable while each change costs what it changes: the newest version has the
 * entries, an older one has what its successor has otherwise (Baker 1991, "Shallow binding makes functional arrays
 * fast"). An older version keeps newer ones alive, never the other way round.
 */
export class VersionedMap<K, V> {
  /** Of the newest version only. */
  #entries: Map<K, V> | undefined;
  #successor: Successor<K, V> | undefined;

  constructor(entries: Iterable<readonly [K, V]> = []) {
    this.#entries = new Map(entries);
  }

  get(key: K): V | undefined {
    // Most often this is the newest.
    if (this.#entries !== undefined) return this.#entries.get(key);
    for (const { undo, entries } of VersionedMap.#from(this)) {
      if (entries !== undefined) return entries.get(key);
      if (undo?.has(key) === true) return undo.get(key);
    }
    return undefined;
  }

  /**
   * The next version: entries are replaced, and removed where the value is undefined. A second next version of one version
   * costs a copy. What comes after an empty version has nothing in common with it.
   */
  with(changes: ReadonlyMap<K, V | undefined>): VersionedMap<K, V> {
    if (this.#entries?.size === 0) return new VersionedMap<K, V>([...changes].filter(isPresent));
    const next = new VersionedMap<K, V>();
    const entries = this.#entries ?? new Map(this);
    const undo = new Map<K, V | undefined>();
    for (const [key, value] of changes) {
      const before = entries.get(key);
      if (before === value) continue;
      undo.set(key, before);
      if (value === undefined) entries.delete(key);
      else entries.set(key, value);
    }
    next.#entries = entries;
    if (this.#entries !== undefined) {
      this.#entries = undefined;
      this.#successor = { version: next, undo };
    }
    return next;
  }

  /** The keys that may differ between the two versions, or undefined when neither came from the other. */
  changedSince(other: VersionedMap<K, V>): ReadonlySet<K> | undefined {
    return VersionedMap.#changes(other, this) ?? VersionedMap.#changes(this, other);
  }

  /** In no particular order. */
  *[Symbol.iterator](): IterableIterator<[K, V]> {
    const seen = new Set<K>();
    for (const { undo, entries } of VersionedMap.#from(this)) {
      for (const [key, value] of undo ?? entries ?? []) {
        if (!seen.has(key) && value !== undefined) yield [key, value];
        if (undo !== undefined) seen.add(key);
      }
    }
  }

  /** What each version from that one on has of its own: the newest entries, the others what to undo. */
  static *#from<K, V>(version: VersionedMap<K, V>): Iterable<Layer<K, V>> {
    let next: VersionedMap<K, V> | undefined = version;
    while (next !== undefined) {
      yield { version: next, undo: next.#successor?.undo, entries: next.#entries };
      next = next.#successor?.version;
    }
  }

  static #changes<K, V>(older: VersionedMap<K, V>, newer: VersionedMap<K, V>): ReadonlySet<K> | undefined {
    const keys = new Set<K>();
    for (const { version, undo } of VersionedMap.#from(older)) {
      if (version === newer) return keys;
      for (const key of undo?.keys() ?? []) keys.add(key);
    }
    return undefined;
  }
}

function isPresent<K, V>(entry: [K, V | undefined]): entry is [K, V] {
  return entry[1] !== undefined;
}

interface Successor<K, V> {
  readonly version: VersionedMap<K, V>;
  readonly undo: ReadonlyMap<K, V | undefined>;
}

interface Layer<K, V> {
  readonly version: VersionedMap<K, V>;
  readonly undo: ReadonlyMap<K, V | undefined> | undefined;
  readonly entries: ReadonlyMap<K, V> | undefined;
}
