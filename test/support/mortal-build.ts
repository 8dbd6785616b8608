import { cpSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Copies the built program to `directory` and puts dying-fault-point.ts in the place of the function that marks its steps.
 * Everything else is what is shipped.
 */
export async function makeMortalBuild(directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  cpSync(path.join(ROOT, 'dist'), path.join(directory, 'dist'), { recursive: true });
  cpSync(path.join(ROOT, 'package.json'), path.join(directory, 'package.json'));
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(directory, 'node_modules'));
  const variant = await bundle(path.join(ROOT, 'test/support/dying-fault-point.ts'), directory);
  renameSync(variant, path.join(directory, 'dist/src/model/fault-point.js'));
}
