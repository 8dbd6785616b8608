import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { dump } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { compile } from '../src/compile/compile.ts';
import { renderNb } from '../src/compile/render-nb.ts';
import { printDiagnostics } from '../src/spec/print.ts';
import { validateFiles } from '../src/spec/validate.ts';

const CASES = path.join(import.meta.dirname, 'cases');
const UPDATE = process.env['UPDATE'] === '1';

/** The directories whose specs are right: they say in nb.yaml which rows must come out. */
const cases = readdirSync(CASES).filter((name) =>
  UPDATE ? !name.startsWith('bad-') : existsSync(path.join(CASES, name, 'nb.yaml')),
);

describe('right specs become exactly these rows', () => {
  test.each(cases)('%s', (name) => {
    const golden = path.join(CASES, name, 'nb.yaml');
    const actual = rendered(path.join(CASES, name, 'specs'));
    if (UPDATE) writeFileSync(golden, actual);
    expect(actual).toBe(readFileSync(golden, 'utf8'));
  });
});

function rendered(specs: string): string {
  const paths = readdirSync(specs, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.yaml'),
  );
  const files = paths.map((file) => ({ path: file, text: readFileSync(path.join(specs, file), 'utf8') }));
  const { set, diagnostics } = validateFiles(files);
  const compiled = compile(set);
  const errors = [...diagnostics, ...compiled.diagnostics].filter(({ severity }) => severity === 'error');
  expect(printDiagnostics(errors)).toBe(printDiagnostics([]));
  return dump(renderNb(compiled.nb), { lineWidth: -1, noRefs: true });
}
