import { test as property, fc } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../src/ovsdb/index.ts';

test.each([
  ['9007199254740993', 9007199254740993n],
  ['-9223372036854775808', -9223372036854775808n],
  ['9007199254740991', 9007199254740991],
  ['1234567890123456', 1234567890123456],
  ['1.2345678901234567890', 1.2345678901234567],
  ['12345678901234567e1', Number('123456789012345670')],
  ['12345678901234567.5', Number('12345678901234568')],
  ['"9007199254740993"', '9007199254740993'],
  ['"a\\"9007199254740993"', 'a"9007199254740993'],
  ['{"9007199254740993":[9007199254740993]}', { '9007199254740993': [9007199254740993n] }],
])('%s is read exactly', (text, value) => {
  expect(parseJson(text)).toStrictEqual(value);
});

property.prop([fc.jsonValue()])('JSON is read as JSON.parse reads it, big integers aside', (value) => {
  const text = JSON.stringify(value);
  expect(toDoubles(parseJson(text))).toStrictEqual(JSON.parse(text));
});

property.prop([
  fc.letrec((tie) => ({
    value: fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).filter((n) => !Number.isSafeInteger(Number(n))),
      fc.string({ unit: 'binary' }).filter((text) => !text.startsWith('\0')),
      fc.integer(),
      fc.constantFrom(null, true),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(
        fc.string().filter((key) => key !== '__proto__'),
        tie('value'),
        { maxKeys: 4, noNullPrototype: true },
      ),
    ),
  })).value,
])('big integers survive writing and reading', (value) => {
  expect(parseJson(stringifyJson(value))).toStrictEqual(value);
});

test('members without a value are left out, as JSON.stringify does', () => {
  expect(stringifyJson({ a: undefined, b: [undefined], c: 2n ** 60n })).toBe(
    '{"b":[null],"c":1152921504606846976}',
  );
});

function toDoubles(value: unknown): unknown {
  const text = JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? Number(member) : member,
  );
  return JSON.parse(text);
}
