import type { CliParts } from '../parts.ts';

/** Text on its way to the reader, in pieces of a fair size: it never holds more than one. */
export class Page {
  readonly #write: CliParts['write'];
  #pending: string[] = [];
  #length = 0;

  constructor(write: CliParts['write']) {
    this.#write = write;
  }

  /** Adds text; waits for the reader when enough has come together. Rejects when the reader is gone. */
  async add(text: string): Promise<void> {
    this.#pending.push(text);
    this.#length += text.length;
    if (this.#length >= PIECE) await this.flush();
  }

  async flush(): Promise<void> {
    const text = this.#pending.join('');
    this.#pending = [];
    this.#length = 0;
    if (text !== '') await this.#write(text);
  }
}

const PIECE = 64 * 1024;
