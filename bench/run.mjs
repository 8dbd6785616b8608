// What `npm run bench` runs: makes one JavaScript file of bench/main.ts and runs it. Arguments are in README.md.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';

const ROOT = path.dirname(import.meta.dirname);

// Packages stay imports, so the file has to lie where they are found.
const directory = mkdtempSync(path.join(ROOT, 'node_modules', '.bench-'));
try {
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'silent',
    build: {
      ssr: 'bench/main.ts',
      outDir: directory,
      emptyOutDir: false,
      minify: false,
      sourcemap: true,
      rolldownOptions: { output: { entryFileNames: '[name].mjs' } },
    },
  });
  const words = process.argv
    .slice(2)
    .map((word) => (word === '--write' ? `--write=${import.meta.dirname}` : word));
  const { status } = spawnSync(
    process.execPath,
    ['--expose-gc', '--max-old-space-size=4096', path.join(directory, 'main.mjs'), ...words],
    { cwd: ROOT, stdio: 'inherit' },
  );
  process.exitCode = status ?? 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
