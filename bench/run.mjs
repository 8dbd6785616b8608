// What `npm run bench` runs: makes JavaScript of a suite's entry files and runs the first. Arguments are in README.md.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'vite';

const ROOT = path.dirname(import.meta.dirname);

/** Entry files of the suites, by the word that chooses one; without a word it is the pipeline. The first one is run. */
const SUITES = {
  pipeline: { pipeline: 'bench/main.ts' },
  revisions: { revisions: 'bench/pipeline/main.ts' },
  ovsdb: {
    ovsdb: 'bench/ovsdb/main.ts',
    ours: 'bench/ovsdb/ours.ts',
    planner: 'bench/ovsdb/planner.ts',
    raw: 'bench/ovsdb/raw.ts',
  },
};

const [first = '', ...rest] = process.argv.slice(2);
const [suite, arguments_] = first in SUITES ? [first, rest] : ['pipeline', process.argv.slice(2)];

// Packages stay imports, so the files have to lie where they are found.
const directory = mkdtempSync(path.join(ROOT, 'node_modules', '.bench-'));
const scratch = mkdtempSync(path.join(tmpdir(), 'bench-'));
try {
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'silent',
    build: {
      ssr: true,
      target: 'node20',
      outDir: directory,
      emptyOutDir: false,
      minify: false,
      sourcemap: true,
      rolldownOptions: { input: SUITES[suite], output: { entryFileNames: '[name].mjs' } },
    },
  });
  const words = arguments_.map((word) => (word === '--write' ? `--write=${import.meta.dirname}` : word));
  // It has a temporary directory of its own, so that nothing is left when it is interrupted, and a session of its own,
  // which the scheduler weighs by itself (sched(7), autogrouping).
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--max-old-space-size=4096', path.join(directory, `${suite}.mjs`), ...words],
    { cwd: ROOT, stdio: 'inherit', detached: true, env: { ...process.env, TMPDIR: scratch } },
  );
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.on(signal, () => process.kill(-Number(child.pid), signal));
  const [status, signal] = await once(child, 'close');
  if (signal !== null) {
    console.error(`ended by ${signal}`);
    endGroup(Number(child.pid));
  }
  process.exitCode = status ?? 1;
} finally {
  for (const made of [directory, scratch]) rmSync(made, { recursive: true, force: true });
}

/** The servers that a process leaves behind when it is killed. */
function endGroup(group) {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // There are none.
  }
}
