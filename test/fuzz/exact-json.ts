/** JSON in which no number has lost anything: whole numbers are always `bigint`. */
export type ExactJson =
  null | boolean | number | bigint | string | readonly ExactJson[] | { readonly [name: string]: ExactJson };

/**
 * Reads JSON character by character, as RFC 8259 has it. It shares nothing with the parser under test, nor with
 * JSON.parse.
 *
 * @throws SyntaxError when `text` is not JSON.
 */
export function parseExactly(text: string): ExactJson {
  const parser = new Parser(text);
  const value = parser.value();
  parser.end();
  return value;
}

/** Writes JSON; a `number` must not be whole, or it would be read back as another type. */
export function printExactly(value: ExactJson): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${(value as readonly ExactJson[]).map(printExactly).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${printExactly(member)}`,
  );
  return `{${members.join(',')}}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): ExactJson {
    this.#skipSpace();
    const first = this.#text[this.#at];
    if (first === '{') return this.#object();
    if (first === '[') return this.#array();
    if (first === '"') return this.#string();
    for (const [word, value] of [
      ['true', true],
      ['false', false],
      ['null', null],
    ] as const) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    return this.#number();
  }

  end(): void {
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#fault();
  }

  #object(): ExactJson {
    const found: Record<string, ExactJson> = {};
    this.#list('}', () => {
      this.#skipSpace();
      const name = this.#string();
      this.#skipSpace();
      this.#take(':');
      // Defined, because an assignment to `__proto__` would be something else.
      Object.defineProperty(found, name, {
        value: this.value(),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    });
    return found;
  }

  #array(): ExactJson {
    const found: ExactJson[] = [];
    this.#list(']', () => found.push(this.value()));
    return found;
  }

  #list(close: string, readOne: () => void): void {
    this.#at++;
    this.#skipSpace();
    if (this.#text[this.#at] === close) {
      this.#at++;
      return;
    }
    for (;;) {
      readOne();
      this.#skipSpace();
      if (this.#text[this.#at] === close) break;
      this.#take(',');
    }
    this.#at++;
  }

  #string(): string {
    this.#take('"');
    let found = '';
    for (;;) {
      const character = this.#text[this.#at++];
      if (character === undefined || character < ' ') throw this.#fault();
      if (character === '"') return found;
      found += character === '\\' ? this.#escape() : character;
    }
  }

  #escape(): string {
    const letter = this.#text[this.#at++] ?? '';
    if (letter !== 'u') {
      const meant = ESCAPES[letter];
      if (meant === undefined) throw this.#fault();
      return meant;
    }
    const digits = this.#text.slice(this.#at, this.#at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.#fault();
    this.#at += 4;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  #number(): number | bigint {
    const start = this.#at;
    while (/[-+.0-9eE]/.test(this.#text[this.#at] ?? '')) this.#at++;
    const token = this.#text.slice(start, this.#at);
    if (!/^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$/.test(token)) throw this.#fault();
    // A zero with a sign is no integer that a `bigint` could be.
    return /^-?[0-9]+$/.test(token) && token !== '-0' ? BigInt(token) : Number(token);
  }

  #take(character: string): void {
    if (this.#text[this.#at] !== character) throw this.#fault();
    this.#at++;
  }

  #skipSpace(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? '')) this.#at++;
  }

  #fault(): SyntaxError {
    return new SyntaxError(`not JSON at ${this.#at}`);
  }
}
