import type { Uuid } from '../protocol/value.ts';

/** Uuids by something that is mostly of one: only a group of several costs more than an entry of a Map. */
export class UuidGroups<K> {
  readonly #groups = new Map<K, Uuid | Set<Uuid>>();

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  of(key: K): Iterable<Uuid> {
    const group = this.#groups.get(key);
    return typeof group === 'object' ? group : group === undefined ? NONE : [group];
  }

  first(key: K): Uuid | undefined {
    const group = this.#groups.get(key);
    return typeof group === 'object' ? group.values().next().value : group;
  }

  add(key: K, uuid: Uuid): void {
    const group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, uuid);
    else if (typeof group === 'object') group.add(uuid);
    else if (group !== uuid) this.#groups.set(key, new Set([group, uuid]));
  }

  remove(key: K, uuid: Uuid): void {
    const group = this.#groups.get(key);
    if (group === uuid) this.#groups.delete(key);
    else if (typeof group === 'object') {
      group.delete(uuid);
      const [last] = group;
      if (group.size === 1 && last !== undefined) this.#groups.set(key, last);
    }
  }
}

const NONE: readonly Uuid[] = [];
