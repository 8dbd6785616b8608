import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../src/ovsdb/index.ts';
import { type ExactJson, parseExactly, printExactly } from './exact-json.ts';

const NUMBERS = fc.oneof(
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((real) => JSON.stringify(real)),
  fc.constantFrom(
    '0',
    '-0',
    '1e3',
    '1E-2',
    '12345678901234567e1',
    '1234567890123456.5',
    '-1234567890123456789.25e-3',
  ),
);
const SPACE = fc.constantFrom('', '', ' ', '\n\t', '\r ');
const TEXTS = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text.replaceAll('\0', ''))),
  fc.constantFrom(
    '"\\u00e9\\/\\ud834\\udd1e"',
    '"9007199254740993"',
    '"\\"9007199254740993"',
    '"-"',
    '"\\\\"',
  ),
);

/** JSON as text, written in every way that RFC 8259 allows. */
const { value: JSON_TEXT } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    NUMBERS,
    TEXTS,
    fc.constantFrom('true', 'false', 'null'),
    fc
      .tuple(SPACE, fc.array(fc.tuple(SPACE, tie('value'), SPACE), { maxLength: 5 }))
      .map(([space, items]) => `[${space}${items.map((item) => item.join('')).join(',')}]`),
    fc
      .tuple(SPACE, fc.array(fc.tuple(SPACE, TEXTS, SPACE, tie('value'), SPACE), { maxLength: 5 }))
      .map(([space, all]) => `{${space}${all.map(([a, k, b, v, c]) => `${a}${k}${b}:${v}${c}`).join(',')}}`),
  ),
}));

property.prop([JSON_TEXT, SPACE])('JSON is read as an exact parser reads it', (text, space) => {
  const spaced = `${space}${text}${space}`;
  expect(parseJson(spaced)).toStrictEqual(asClientHasIt(parseExactly(spaced)));
});

property.prop([JSON_TEXT, fc.nat(), fc.constantFrom(...'{}[]",:\\-+.0e1 \u0001xtn'.split(''))])(
  'JSON with a character that is wrong is read by both alike, or by none',
  (text, at, character) => {
    const wrong = `${text.slice(0, at % text.length)}${character}${text.slice((at % text.length) + 1)}`;
    expect(reading(() => parseJson(wrong))).toStrictEqual(reading(() => asClientHasIt(parseExactly(wrong))));
  },
);

property.prop([JSON_TEXT])('JSON that is written says to an exact parser what it should', (text) => {
  const exact = parseExactly(text);
  const written = parseExactly(stringifyJson(asClientHasIt(exact)));
  expect(printExactly(written)).toBe(printExactly(parseExactly(printExactly(exact))));
});

test.each([
  '09007199254740993',
  '-00009007199254740993',
  '{9007199254740993:1}',
  '[1,{-9007199254740993:1}]',
])('digits that are no JSON number are refused: %s', (text) => {
  expect(() => parseExactly(text)).toThrow(SyntaxError);
  expect(() => parseJson(text)).toThrow(SyntaxError);
});

test('what cannot be written for another reason than a big integer is refused', () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  expect(() => stringifyJson(circle)).toThrow('circular');
});

function reading(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return SyntaxError;
  }
}

/** Integers that a double holds are numbers. */
function asClientHasIt(value: ExactJson): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return (value as readonly ExactJson[]).map((each) => asClientHasIt(each));
  if (typeof value !== 'object' || value === null) return value;
  const found = {};
  for (const [name, member] of Object.entries(value)) {
    Object.defineProperty(found, name, {
      value: asClientHasIt(member),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return found;
}
