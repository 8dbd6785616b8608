import { readWorkTree } from '../../src/git/work-tree.ts';

/** The files of examples-repo by path. */
export async function exampleFiles(): Promise<Record<string, string>> {
  const files = await readWorkTree(new URL('../../examples-repo', import.meta.url).pathname);
  if (!files.ok) throw new Error(files.error.message);
  const texts: Record<string, string> = {};
  for (const file of files.value) texts[file.path] = await file.text();
  return texts;
}
