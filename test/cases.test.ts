import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasErrors } from '../src/model/diagnostic.ts';
import { printDiagnostics } from '../src/spec/print.ts';
import { validateFiles, type Validated } from '../src/spec/validate.ts';

/** Each folder is a repository in `specs/`; `errors.txt` is what is said about it. UPDATE=1 writes it anew. */
const CASES = new URL('cases/', import.meta.url);

function validated(name: string): Validated {
  const folder = new URL(`${name}/specs/`, CASES);
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  return validateFiles(files.map((path) => ({ path, text: readFileSync(new URL(path, folder), 'utf8') })));
}

describe.each(readdirSync(CASES).toSorted())('%s', (name) => {
  const expected = new URL(`${name}/errors.txt`, CASES);
  const { diagnostics } = validated(name);
  const isBad = name.startsWith('bad-');

  test(isBad ? 'is refused' : 'is accepted', () => {
    expect(hasErrors(diagnostics)).toBe(isBad);
  });

  if (process.env['UPDATE'] === '1') {
    if (diagnostics.length > 0) writeFileSync(expected, printDiagnostics(diagnostics));
    else rmSync(expected, { force: true });
  }
  if (!isBad && !existsSync(expected)) return;
  test('says why', () => {
    expect(printDiagnostics(diagnostics)).toBe(readFileSync(expected, 'utf8'));
  });
});
