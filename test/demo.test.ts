import { spawn } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.dirname(import.meta.dirname);

test('the demo tells its story to the end', async () => {
  const child = spawn(process.execPath, [path.join(ROOT, 'scripts', 'demo.mjs'), '--exit'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise((resolve) => child.once('exit', resolve));
  expect(code, output).toBe(0);
  expect(output).toContain('All 6 steps were as promised.');
}, 300_000);
