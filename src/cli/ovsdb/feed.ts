import type { CliParts } from '../parts.ts';

/** Texts on their way to a reader who may be slow; they come out whole and in order. */
export class Feed {
  readonly #write: CliParts['write'];
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #failure: unknown;

  constructor(write: CliParts['write']) {
    this.#write = write;
  }

  /** Adds a text. False when so much waits for the reader already that following makes no sense any more. */
  add(text: string): boolean {
    this.#waiting += text.length;
    this.addFrom(async () => {
      await this.#write(text);
      this.#waiting -= text.length;
    });
    return this.#waiting <= MOST_WAITING;
  }

  /** Adds what `source` writes by itself. */
  addFrom(source: () => Promise<void>): void {
    this.#last = this.#last.then(source).catch((error: unknown) => {
      this.#failure ??= error;
    });
  }

  /** Resolves when everything is written; rejects when something could not be. */
  async written(): Promise<void> {
    await this.#last;
    if (this.#failure !== undefined) throw this.#failure;
  }
}

/** Characters. */
const MOST_WAITING = 64 << 20;
