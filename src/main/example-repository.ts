import fs, { cp, mkdir, readdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { add, commit, init } from 'isomorphic-git';

/** The examples as they come with the program, from a checkout (src, dist/src) or an installed package. */
const EXAMPLES = ['../../examples-repo', '../../../examples-repo'].map((place) =>
  fileURLToPath(new URL(place, import.meta.url)),
);

/** Makes a Git repository with a copy of examples-repo on branch main, unless one is there; gives back its path. */
export async function copyExamples(directory: string): Promise<string> {
  if (existsSync(path.join(directory, '.git'))) return directory;
  const examples = EXAMPLES.find((place) => existsSync(place));
  if (examples === undefined) throw new Error('invariant: examples-repo is not part of this installation');
  await mkdir(directory, { recursive: true });
  await cp(examples, directory, { recursive: true });
  await init({ fs: { promises: fs }, dir: directory, defaultBranch: 'main' });
  for (const file of await readdir(directory)) {
    if (file !== '.git') await add({ fs: { promises: fs }, dir: directory, filepath: file });
  }
  await commit({
    fs: { promises: fs },
    dir: directory,
    message: 'Start from the examples',
    author: { name: 'ovn-gitops', email: 'ovn-gitops@localhost' },
  });
  return directory;
}
