import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Replaces what RESULTS.md in `directory` says of one suite, and leaves the rest as it is. */
export function writeResults(
  directory: string,
  suite: 'ovsdb' | 'pipeline' | 'revisions',
  text: string,
): void {
  const file = path.join(directory, 'RESULTS.md');
  const [begin, end] = [`<!-- ${suite} begins -->`, `<!-- ${suite} ends -->`];
  const before = readFileSync(file, 'utf8');
  const [from, to] = [before.indexOf(begin), before.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no place for ${suite}: "${begin}" and "${end}"`);
  writeFileSync(file, `${before.slice(0, from + begin.length)}\n\n${text}\n\n${before.slice(to)}`);
  spawnSync(path.resolve('node_modules/.bin/prettier'), ['--write', file], { stdio: 'ignore' });
}

/** Date, machine and versions, as a list. */
export function describeMachine(): string {
  const [cpu] = os.cpus();
  const memory = Math.round(os.totalmem() / 2 ** 30);
  const machine = `${os.cpus().length} x ${cpu?.model ?? 'CPU'}, ${memory} GiB, ${os.type()} ${os.release()}`;
  const versions = [
    `Node ${process.versions.node}`,
    firstLine('ovsdb-server', ['--version']),
    firstLine('ovn-northd', ['--version']),
    `commit ${firstLine('git', ['rev-parse', '--short', 'HEAD'])}`,
  ];
  return [new Date().toISOString().slice(0, 10), machine, versions.join('; ')]
    .map((line) => `- ${line}`)
    .join('\n');
}

function firstLine(command: string, words: readonly string[]): string {
  const { stdout } = spawnSync(command, words, { encoding: 'utf8' });
  return stdout?.split('\n')[0] ?? '';
}
