import path from 'node:path';
import { build } from 'vite';

/**
 * Makes one plain JavaScript file of a TypeScript entry and what it imports from src and test, for tests that need a
 * process of their own. Packages from node_modules stay imports, so `directory` must lie in the work tree for those.
 *
 * @returns the path of the file, in `directory`
 */
export async function bundle(entry: string, directory: string): Promise<string> {
  const name = path.basename(entry, '.ts');
  await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      ssr: entry,
      outDir: directory,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: { output: { entryFileNames: `${name}.mjs` } },
    },
  });
  return path.join(directory, `${name}.mjs`);
}
