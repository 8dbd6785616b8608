/**
 * Parses JSON; integers that a double cannot hold become `bigint`, so that 64-bit OVSDB integers stay exact.
 *
 * @throws SyntaxError when `text` is not JSON.
 */
export function parseJson(text: string): unknown {
  // Only a run of 16 digits can be beyond 2^53-1, and hardly any message has one: the rest takes the fast path.
  if (!hasLongDigits(text)) return JSON.parse(text);
  const marked = text.replace(STRING_OR_NUMBER, (token) =>
    LONG_INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"\\u0000${token}"` : token,
  );
  return JSON.parse(marked, unmark);
}

/** Writes JSON; a `bigint` is written as the integer that it is. */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof TypeError && error.message.includes('BigInt')) return writeExactly(value);
    throw error;
  }
}

const LONG = 16;

/** Whether 16 digits follow each other anywhere. Such a run covers a multiple of 16: the others need no look. */
function hasLongDigits(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let first = at;
    while (isDigit(text.charCodeAt(first - 1))) first--;
    let last = at;
    while (isDigit(text.charCodeAt(last + 1))) last++;
    if (last - first + 1 >= LONG) return true;
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

// Tokens are matched as a whole, so that digits inside strings and fractions are left alone.
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
const LONG_INTEGER = /^-?[1-9]\d{15,}$/;

const MARKED = /^\0-?\d{16,}$/;

// OVSDB strings hold no NUL (RFC 7047 3.1), so the mark cannot be mistaken for one of them.
function unmark(key: string, value: unknown): unknown {
  if (MARKED.test(key)) throw new SyntaxError('a number stands where a name belongs');
  return typeof value === 'string' && MARKED.test(value) ? BigInt(value.slice(1)) : value;
}

function writeExactly(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) {
    return `[${value.map((item) => (item === undefined ? 'null' : writeExactly(item))).join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${writeExactly(member)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}
