import { Derived, Input, isDeriving } from './derived.ts';

/** Derived values by name, each made when it is first asked for and forgotten when nothing depends on it any more. */
export class DerivedMap<T> {
  readonly #compute: (key: string, before: T | undefined) => T;
  readonly #values = new Map<string, Derived<T>>();

  constructor(compute: (key: string, before: T | undefined) => T) {
    this.#compute = compute;
  }

  get(key: string): T {
    let value = this.#values.get(key);
    if (value === undefined) {
      value = new Derived((before: T | undefined) => this.#compute(key, before), {
        unread: () => this.#values.delete(key),
      });
      this.#values.set(key, value);
    }
    return value.get();
  }
}

/** Inputs by name; those that nobody has read cost nothing. */
export class InputMap {
  readonly #inputs = new Map<string, Input>();

  read(key: string): void {
    if (!isDeriving()) return;
    let input = this.#inputs.get(key);
    if (input === undefined) {
      input = new Input(() => this.#inputs.delete(key));
      this.#inputs.set(key, input);
    }
    input.read();
  }

  change(key: string): void {
    this.#inputs.get(key)?.change();
  }
}

/** Derived values that are wanted for themselves: which of them have changed is known without looking at the others. */
export class DerivedRoots<T> {
  readonly #compute: (key: string, before: T | undefined) => T;
  readonly #roots = new Map<string, Derived<T>>();
  readonly #suspects = new Set<string>();

  constructor(compute: (key: string, before: T | undefined) => T) {
    this.#compute = compute;
  }

  /** Wants a value from now on. */
  keep(key: string): void {
    if (this.#roots.has(key)) return;
    const root = new Derived((before: T | undefined) => this.#compute(key, before), {
      suspected: () => this.#suspects.add(key),
    });
    this.#roots.set(key, root);
    this.#suspects.add(key);
  }

  /** Wants it no longer. */
  drop(key: string): void {
    this.#roots.get(key)?.drop();
    this.#roots.delete(key);
    this.#suspects.delete(key);
  }

  /** The values that may have changed since this was last asked, by name. */
  changes(): ReadonlyMap<string, T> {
    const changed = new Map<string, T>();
    for (const key of this.#suspects) {
      const root = this.#roots.get(key);
      if (root !== undefined) changed.set(key, root.get());
    }
    this.#suspects.clear();
    return changed;
  }
}
