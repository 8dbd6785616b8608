import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readWorkTree } from '../../src/git/work-tree.ts';
import type { Validated } from '../../src/spec/validate.ts';
import { validateFiles } from '../../src/spec/validate.ts';

/** The folder of the example network. */
export const EXAMPLES: string = fileURLToPath(new URL('../../examples-repo', import.meta.url));
/** The folder of the schemas. */
export const SCHEMAS: string = path.join(EXAMPLES, '..', 'specs-schema');

/** The text of every file of the example network, by path. */
export async function exampleFiles(): Promise<Map<string, string>> {
  const read = await readWorkTree(EXAMPLES);
  if (!read.ok) throw new Error(read.error.message);
  const entries = read.value.map(async (file): Promise<[string, string]> => [file.path, await file.text()]);
  return new Map(await Promise.all(entries));
}

/** Validates files by path. */
export function validateMap(files: ReadonlyMap<string, string>): Validated {
  return validateFiles([...files].map(([path, text]) => ({ path, text })));
}
