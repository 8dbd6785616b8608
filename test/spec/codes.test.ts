import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DIAGNOSTIC_CODES } from '../../src/model/diagnostic-codes.ts';

const CASES = new URL('../cases/', import.meta.url);
/** Shown by tests of their own: a golden file of them would be large. */
const ELSEWHERE = new Set(['YAM110', 'SCH209']);

test('every code is said in some case', () => {
  const said = readdirSync(CASES)
    .filter((name) => name.startsWith('bad-'))
    .map((name) => readFileSync(new URL(`${name}/errors.txt`, CASES), 'utf8'))
    .join('\n');
  const silent = Object.keys(DIAGNOSTIC_CODES).filter(
    (code) => !ELSEWHERE.has(code) && !said.includes(`[${code}]`),
  );
  expect(silent).toEqual([]);
});
