import { fc, test as check } from '@fast-check/vitest';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { printDiagnostics } from '../../src/spec/print.ts';
import { validateFiles } from '../../src/spec/validate.ts';

const CASES = new URL('../cases/', import.meta.url);
const repositories = readdirSync(CASES).map((name) => {
  const folder = new URL(`${name}/specs/`, CASES);
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  return { name, files: files.map((path) => ({ path, text: readFileSync(new URL(path, folder), 'utf8') })) };
});

describe('the verdict', () => {
  check.prop([fc.constantFrom(...repositories), fc.infiniteStream(fc.nat())], { numRuns: 60 })(
    'does not depend on the order in which files are read',
    ({ files }, random) => {
      const shuffled = files
        .map((file) => ({ file, at: random.next().value as number }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ file }) => file);
      expect(printDiagnostics(validateFiles(shuffled).diagnostics)).toBe(
        printDiagnostics(validateFiles(files).diagnostics),
      );
    },
  );

  check.prop([fc.constantFrom(...repositories), fc.infiniteStream(fc.nat())], { numRuns: 60 })(
    'does not depend on the order of the documents in a file',
    ({ files }, random) => {
      const documents = files.flatMap(({ path, text }) =>
        splitDocuments(text).map((document) => ({ path, document })),
      );
      const shuffled = documents
        .map((entry) => ({ entry, at: random.next().value as number }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ entry }) => entry);
      const apart = (list: typeof documents): readonly string[] =>
        codesOf(
          list.map(({ document }, index) => ({
            path: `${String(index).padStart(4, '0')}.yaml`,
            text: document,
          })),
        );
      expect(apart(shuffled)).toEqual(apart(documents));
    },
  );
});

/** Which of two colliding resources is blamed may depend on their places; that they are, may not. */
function codesOf(files: readonly { readonly path: string; readonly text: string }[]): readonly string[] {
  return validateFiles(files)
    .diagnostics.map(({ code }) => code)
    .toSorted();
}

function splitDocuments(text: string): readonly string[] {
  return text.startsWith('%') ? [text] : text.split(/^---\n/m);
}
