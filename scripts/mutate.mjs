// Mutation testing: changes the code in small ways, one at a time, and tells which changes no test notices. Only pure tests
// are run, because each change needs a run of its own. Slow: about a second a change on a quiet core.
//
//   npm run mutate                                   everything in AREAS
//   npm run mutate -- src/ovsdb/protocol/json.ts     only these files or folders
//
// Stryker is no dependency of the project: it is fetched into a directory beside the temporary files, and kept there.

import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const ROOT = path.dirname(import.meta.dirname);
const VERSION = '9.6.1';
const TOOLS = path.join(os.tmpdir(), `ovn-gitops-stryker-${VERSION}`);

/** What is changed, and the tests that must notice. */
const AREAS = [
  {
    folders: ['src/ovsdb/protocol', 'src/ovsdb/replica'],
    tests: [
      'test/ovsdb/{framing,json,notation,replica}.test.ts',
      'test/fuzz/{json,notation,parts,updates}*.test.ts',
    ],
  },
  {
    folders: ['src/plan'],
    tests: ['test/plan/{columns,open-rows*}.test.ts', 'test/cases-plan.test.ts'],
  },
];
/** Too slow to be run for each change, and covered by others. */
const LEFT_OUT = 'that break off';

os.setPriority(15);
const asked = process.argv.slice(2);
const wanted = AREAS.map((area) => ({ ...area, files: filesOf(area) })).filter(
  ({ files }) => files.length > 0,
);
if (wanted.length === 0) {
  console.error(
    `mutate: nothing to change in ${asked.join(' ')}; there are ${AREAS.flatMap(({ folders }) => folders).join(', ')}`,
  );
  process.exit(1);
}
fetchTools();
for (const area of wanted) measure(area);

/** Those of the asked paths that belong to an area. */
function filesOf({ folders }) {
  if (asked.length === 0) return folders.map((folder) => `${folder}/**/*.ts`);
  const isWithin = (file) => folders.some((folder) => file === folder || file.startsWith(`${folder}/`));
  const paths = asked.map((file) => path.relative(ROOT, path.resolve(file)));
  return paths.filter(isWithin).map((file) => (file.endsWith('.ts') ? file : `${file}/**/*.ts`));
}

function fetchTools() {
  const packages = ['core', 'vitest-runner'].map((name) => `@stryker-mutator/${name}@${VERSION}`);
  const vitest = path.join(TOOLS, 'node_modules', 'vitest');
  if (existsSync(vitest)) return;
  mkdirSync(TOOLS, { recursive: true });
  writeFileSync(path.join(TOOLS, 'package.json'), '{"private":true}');
  run('npm', ['install', '--no-audit', '--no-fund', '--legacy-peer-deps', ...packages], TOOLS);
  // One vitest: the one that the tests import.
  symlinkSync(path.join(ROOT, 'node_modules', 'vitest'), vitest);
}

/** Changes a copy, so that others can go on working in this tree. */
function measure({ files, tests }) {
  const copy = mkdtempSync(path.join(os.tmpdir(), 'ovn-gitops-mutate-'));
  try {
    for (const entry of ['src', 'test', 'specs-schema', 'examples-repo', 'package.json']) {
      cpSync(path.join(ROOT, entry), path.join(copy, entry), { recursive: true });
    }
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
    writeFileSync(path.join(copy, 'vitest.config.mjs'), vitestConfig(tests));
    writeFileSync(path.join(copy, 'stryker.config.json'), JSON.stringify(strykerConfig(files)));
    const stryker = path.join(TOOLS, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
    run(process.execPath, [stryker, 'run', 'stryker.config.json'], copy);
    print(JSON.parse(readFileSync(path.join(copy, 'report.json'), 'utf8')));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function vitestConfig(tests) {
  const test = {
    include: tests,
    setupFiles: ['test/support/configure-fast-check.ts'],
    testTimeout: 600_000,
    // Loading the files anew for each change would take longer than the tests.
    isolate: false,
    testNamePattern: `^(?!.*${LEFT_OUT})`,
  };
  return `export default { test: ${JSON.stringify(test)} };`;
}

function strykerConfig(files) {
  return {
    testRunner: 'vitest',
    plugins: [path.join(TOOLS, 'node_modules/@stryker-mutator/vitest-runner/dist/src/index.js')],
    vitest: { configFile: 'vitest.config.mjs', related: false },
    mutate: files,
    // What runs once, when a file is loaded, would need all tests anew.
    ignoreStatic: true,
    coverageAnalysis: 'perTest',
    concurrency: 1,
    timeoutMS: 20_000,
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName: 'report.json' },
    // It would be rewritten by an interface that this compiler does not have.
    tsconfigFile: 'none.json',
    allowConsoleColors: false,
  };
}

/** The changes that nobody noticed, and for each file the part that somebody did. */
function print({ files }) {
  const total = { noticed: 0, all: 0 };
  const scores = [];
  for (const [file, { source, mutants }] of Object.entries(files)) {
    const lines = source.split('\n');
    const counted = mutants.filter(({ status }) => status !== 'Ignored');
    const missed = counted.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
    for (const { location, replacement, status } of missed) {
      const { line } = location.start;
      console.log(
        `${file}:${line} ${status}: ${lines[line - 1].trim()}\n    -> ${replacement.replaceAll(/\s+/g, ' ')}`,
      );
    }
    total.noticed += counted.length - missed.length;
    total.all += counted.length;
    scores.push(`${percent(counted.length - missed.length, counted.length)} of ${counted.length}  ${file}`);
  }
  for (const score of scores) console.log(score);
  console.log(`mutate: ${percent(total.noticed, total.all)} of ${total.all} changes were noticed`);
}

function percent(part, all) {
  return all === 0 ? '    - ' : `${((100 * part) / all).toFixed(1).padStart(5)} %`;
}

function run(command, words, cwd) {
  const env = { ...process.env, OVN_GITOPS_SEED: '1', OVN_GITOPS_EFFORT: '0.2' };
  const { status, error } = spawnSync(command, words, { cwd, env, stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
}
