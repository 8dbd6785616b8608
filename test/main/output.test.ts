import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = `"${process.execPath}" dist/src/main/cli.js`;

function bash(script: string): SpawnSyncReturns<string> {
  return spawnSync('bash', ['-c', script], { cwd: ROOT, encoding: 'utf8' });
}

test.each(['plan examples-repo --empty', 'render examples-repo', '--help'])(
  '%s ends without a word when nobody reads its output',
  (command) => {
    // The reader is gone before the first byte is written.
    const { stdout, stderr } = bash(`{ sleep 0.1; ${PROGRAM} ${command}; echo "code $?" >&2; } | true`);
    expect(stdout).toBe('');
    expect(stderr).toBe('code 141\n');
  },
);

test('output that cannot be written is an error in one sentence', () => {
  const { status, stderr } = bash(`${PROGRAM} render examples-repo > /dev/full`);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^ovn-gitops: standard output cannot be written: ENOSPC.*\n$/);
});
