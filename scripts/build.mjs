// Compiles src and workers into dist, and notes when dist was last known to be as the sources say.
//
//   node scripts/build.mjs        what `npm run build` runs; bin/ovn-gitops builds a checkout by itself

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = path.dirname(import.meta.dirname);
/** Written after a build without errors only: the compiler leaves files behind also when it fails. */
const STAMP = path.join(ROOT, 'dist', '.built');

/** True when dist is missing or older than what it is made of. */
export function isStale() {
  if (!existsSync(STAMP)) return true;
  const built = statSync(STAMP).mtimeMs;
  const settings = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
  const sources = ['src', 'workers'].filter((folder) => existsSync(path.join(ROOT, folder)));
  return [...settings, ...sources.flatMap(filesUnder)].some(
    (file) => (statSync(path.join(ROOT, file), { throwIfNoEntry: false })?.mtimeMs ?? 0) > built,
  );
}

/** Compiles; what the compiler says goes to standard error. Returns whether there was no error. */
export function build() {
  const started = new Date();
  const compiler = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) return false;
  writeFileSync(STAMP, '');
  // A source that was changed while the compiler ran is newer than this.
  utimesSync(STAMP, started, started);
  return true;
}

/** Files and folders: a folder's time changes when a file in it is added or removed. */
function filesUnder(folder) {
  const names = readdirSync(path.join(ROOT, folder), { recursive: true });
  return [folder, ...names.map((name) => path.join(folder, name))];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href && !build()) process.exitCode = 1;
