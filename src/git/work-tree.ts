import { constants } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Result } from '../lib/result.ts';
import { attempt, isSystemError } from './attempt.ts';
import { objectName } from './git-object.ts';
import type { Problem } from './problem.ts';
import { throwProblems } from './problem.ts';
import type { SourceError } from './source-error.ts';
import { SourceFault } from './source-error.ts';
import type { Inspection, SourceFile } from './source-file.ts';
import { inspectFiles, tooLarge } from './source-file.ts';
import type { Limits } from './source-options.ts';
import { DEFAULT_LIMITS } from './source-options.ts';
import { isHidden, isPathComponent, isYaml } from './tree.ts';

/**
 * Reads the YAML files below a plain directory, committed or not, under the same rules as those of a commit: hidden files and
 * folders are skipped, symbolic links and nested repositories are errors, sizes and UTF-8 are checked.
 */
export function readWorkTree(
  directory: string,
  limits: Partial<Limits> = {},
): Promise<Result<readonly SourceFile[], SourceError>> {
  const bounds = { ...DEFAULT_LIMITS, ...limits };
  return attempt(async () => {
    await requireDirectory(directory);
    const walk: Walk = { directory, limits: bounds, paths: [], problems: [] };
    await visit(walk, '');
    if (walk.paths.length > bounds.files) {
      throwProblems(
        [{ code: 'TOO_LARGE', path: '', detail: `there are more than ${bounds.files} files` }],
        directory,
      );
    }
    const inspection = inspectFiles(bounds, walk.problems);
    for (const path of walk.paths) await inspectFile(inspection, walk, path);
    return inspection.finish(directory);
  });
}

interface Walk {
  readonly directory: string;
  readonly limits: Limits;
  readonly paths: string[];
  readonly problems: Problem[];
}

async function requireDirectory(directory: string): Promise<void> {
  try {
    if ((await stat(directory)).isDirectory()) return;
  } catch (cause) {
    if (isSystemError(cause) && cause.code === 'ENOENT') {
      throw new SourceFault('PATH_MISSING', `${directory} does not exist`);
    }
    if (!isSystemError(cause) || cause.code !== 'ENOTDIR') throw cause;
  }
  throw new SourceFault('PATH_NOT_DIRECTORY', `${directory} is not a folder`);
}

async function visit(walk: Walk, folder: string): Promise<void> {
  const entries = await readdir(join(walk.directory, folder), { withFileTypes: true });
  if (folder !== '' && entries.some(({ name }) => name === '.git')) {
    walk.problems.push({ code: 'SUBMODULE', path: folder });
    return;
  }
  for (const entry of entries) {
    if (isHidden(entry.name)) continue;
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (!isPathComponent(entry.name) || entry.name.includes('\uFFFD'))
      walk.problems.push({ code: 'BAD_PATH', path });
    else if (entry.isSymbolicLink()) walk.problems.push({ code: 'SYMLINK', path });
    else if (entry.isDirectory()) await visit(walk, path);
    else if (!isYaml(entry.name)) continue;
    else if (entry.isFile()) walk.paths.push(path);
    else walk.problems.push({ code: 'BAD_MODE', path, detail: 'not a regular file' });
    if (walk.paths.length > walk.limits.files) return;
  }
}

async function inspectFile(inspection: Inspection, { directory, limits }: Walk, path: string): Promise<void> {
  if (inspection.isFull()) return;
  // The file may have become a link since it was listed.
  const file = await open(join(directory, path), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { size } = await file.stat();
    if (size > limits.fileBytes) {
      inspection.reject(tooLarge(path, size, limits));
      return;
    }
    const bytes = await file.readFile();
    inspection.add({ path, oid: objectName('blob', bytes), bytes });
  } finally {
    await file.close();
  }
}
