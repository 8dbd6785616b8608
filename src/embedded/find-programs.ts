import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { EmbeddedFailure } from './embedded-error.ts';
import { PACKAGES, type Part, type Program, programOf } from './part.ts';

/** Where Debian and hand-made installations put servers; sbin is not on every user's PATH. */
const FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** Absolute paths of the programs that were asked for. */
export interface Programs {
  path(program: Program): string;
  /** A command that a child is run by so that the kernel ends it when we die, or empty where there is none. */
  readonly dieWithParent: readonly string[];
}

/**
 * Finds what `parts` run.
 *
 * @param folders searched instead of the usual ones
 * @throws EmbeddedFailure BINARY_MISSING naming all that is missing and its packages
 */
export function findPrograms(parts: readonly Part[], folders: readonly string[] = FOLDERS): Programs {
  const wanted = new Set<Program>(parts.map(programOf));
  if (wanted.has('ovsdb-server')) wanted.add('ovsdb-tool');
  const found = new Map<Program, string>();
  const missing: Program[] = [];
  for (const program of wanted) {
    const file = search(program, folders);
    if (file === undefined) missing.push(program);
    else found.set(program, file);
  }
  if (missing.length > 0) {
    const packages = [...new Set(missing.map((program) => PACKAGES[program]))];
    throw new EmbeddedFailure(
      'BINARY_MISSING',
      `not installed: ${missing.join(', ')}`,
      `Install ${packages.join(' and ')}: apt-get install --no-install-recommends ${packages.join(' ')}`,
    );
  }
  return {
    path: (program) => found.get(program) ?? program,
    dieWithParent: dieWithParent(),
  };
}

function search(program: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => path.join(folder, program)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** setpriv(1) of util-linux sets PR_SET_PDEATHSIG of prctl(2), which outlives exec; other setprivs don't know the option. */
function dieWithParent(): readonly string[] {
  const setpriv = search('setpriv', FOLDERS);
  if (setpriv === undefined) return [];
  const command = [setpriv, '--pdeathsig', 'TERM'] as const;
  return spawnSync(command[0], [...command.slice(1), 'true'], { stdio: 'ignore' }).status === 0
    ? command
    : [];
}
