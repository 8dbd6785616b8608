/** Callbacks in the order in which they were added. */
export class Listeners<Arguments extends readonly unknown[]> {
  readonly #listeners = new Set<(...arguments_: Arguments) => void>();

  /** Adds a listener and returns what removes it. */
  add(listener: (...arguments_: Arguments) => void): () => void {
    // Wrapped, so that a function that is added twice is called twice and removed once.
    const entry = (...arguments_: Arguments): void => {
      listener(...arguments_);
    };
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }

  /** Calls every listener. One that throws keeps neither the others nor the caller from going on: the error surfaces by itself. */
  emit(...arguments_: Arguments): void {
    for (const listener of this.#listeners) {
      try {
        listener(...arguments_);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
