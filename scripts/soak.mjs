// The long run of everything that draws numbers: property, fuzz and fault tests with many times the tries of `npm test`.
//
//   npm run soak                 20 times the tries, 60 minutes at most
//   npm run soak -- 5            5 times
//   OVN_GITOPS_SEED=N npm run soak    repeats a run

import { spawn } from 'node:child_process';
import path from 'node:path';
import { build } from './build.mjs';
import { ensure } from './ensure.mjs';

const ROOT = path.dirname(import.meta.dirname);
const LIMIT_MS = 3_600_000;
const TESTS = [
  'test/lib',
  'test/fuzz',
  'test/ovsdb/framing',
  'test/ovsdb/json',
  'test/ovsdb/replica.property',
  'test/ovsdb/cluster',
  'test/spec',
  'test/compile/incremental',
  'test/compile/properties',
  'test/plan',
  'test/api/page',
  'test/faults',
  'test/service/killed-worker',
  'test/service/crash-matrix',
  'test/service/failing-redis',
  'test/service/redis-failover',
  'test/service/chaos',
];

const effort = process.argv[2] ?? '20';
if (!/^[1-9][0-9]{0,3}$/.test(effort)) {
  console.error(`soak: the number of times is a number from 1 to 9999, not "${effort}"`);
  process.exit(1);
}
const seed = process.env.OVN_GITOPS_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
ensure();
if (!build()) process.exit(1);
console.log(`soak: ${effort} times the tries, seed ${seed}`);
const child = spawn('vitest', ['run', `--testTimeout=${LIMIT_MS}`, ...TESTS], {
  cwd: ROOT,
  stdio: 'inherit',
  env: {
    ...process.env,
    OVN_GITOPS_EFFORT: effort,
    OVN_GITOPS_SEED: seed,
    PATH: `${path.join(ROOT, 'node_modules', '.bin')}:${path.dirname(process.execPath)}:${process.env.PATH}`,
  },
});
const limit = setTimeout(() => child.kill('SIGTERM'), LIMIT_MS);
child.once('exit', (code) => {
  clearTimeout(limit);
  console.log(`soak: seed ${seed} ${code === 0 ? 'passed' : 'failed'}`);
  process.exitCode = code ?? 1;
});
