/** Remembers what was asked for in this round or the one before; `turn` ends a round. */
export class RecentMap<V> {
  #now = new Map<string, V>();
  #before: ReadonlyMap<string, V> = new Map();

  get(key: string): V | undefined {
    const value = this.#now.get(key) ?? this.#before.get(key);
    if (value !== undefined) this.#now.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.#now.set(key, value);
  }

  turn(): void {
    this.#before = this.#now;
    this.#now = new Map();
  }
}
