import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadAll } from 'js-yaml';
import { compile } from '../src/compile/compile.ts';
import { indexDesired } from '../src/plan/desired.ts';
import { parseFile } from '../src/spec/parse.ts';
import { type Validated, validateParsed } from '../src/spec/validate.ts';
import type { GeneratedFile } from './generate.ts';
import { assertValid } from './revision.ts';
import { type Stopwatch, timed } from './stopwatch.ts';

/** From files on disk to rows: reading, YAML with schemas, checks between resources, compiling. */
export function measureRepository(
  files: readonly GeneratedFile[],
  runs: number,
  stopwatch: Stopwatch,
): Validated {
  const dir = mkdtempSync(path.join(tmpdir(), 'ovn-gitops-bench-'));
  try {
    for (const file of files) {
      mkdirSync(path.dirname(path.join(dir, file.path)), { recursive: true });
      writeFileSync(path.join(dir, file.path), file.text);
    }
    let validated: Validated | undefined;
    for (let run = 0; run < runs; run += 1) {
      // What the last run left behind is none of this run's business.
      validated = undefined;
      globalThis.gc?.();
      validated = measureOnce(dir, files, stopwatch);
    }
    if (validated === undefined) throw new Error('no run');
    return validated;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function measureOnce(dir: string, files: readonly GeneratedFile[], stopwatch: Stopwatch): Validated {
  const texts = stopwatch.time('read the files', () =>
    files.map((file) => ({ path: file.path, text: readFileSync(path.join(dir, file.path), 'utf8') })),
  );
  const [, raw] = timed(() => {
    for (const { text } of texts) loadAll(text);
  });
  stopwatch.recordRaw('parse: YAML and schemas', raw);
  const parsed = stopwatch.time('parse: YAML and schemas', () =>
    texts.map(({ path, text }) => parseFile(path, text)),
  );
  stopwatch.weigh('parse: YAML and schemas');
  const validated = stopwatch.time('check resources against each other', () => validateParsed(parsed));
  stopwatch.weigh('check resources against each other');
  assertValid(validated);
  const compiled = stopwatch.time('compile', () => compile(validated.set));
  stopwatch.weigh('compile');
  stopwatch.time('index the rows by unit', () => indexDesired(compiled.nb));
  return validated;
}
