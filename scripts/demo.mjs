// Shows the whole promise on real software: a push becomes Northbound rows, northd translates them, a hand edit is put
// right, a bad commit changes nothing, git revert undoes, and a destroyed Northbound comes back equal.
//
//   npm run demo             tells the story, then stays up until Ctrl-C
//   npm run demo -- --exit   tells the story and ends with 0, or with 1 when anything was not as promised

import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build, isStale } from './build.mjs';
import { ensure, EnsureError } from './ensure.mjs';

const ROOT = path.dirname(import.meta.dirname);
const EXIT = process.argv.includes('--exit');
const PATIENCE_MS = 60_000;

const scratch = mkdtempSync(path.join(tmpdir(), 'ovn-gitops-demo-'));
const state = path.join(scratch, 'state');
const origin = path.join(scratch, 'network.git');
const clone = path.join(scratch, 'network');
let up;
let step = 0;

try {
  prepare();
  makeRepository();
  await startUp();
  await tell();
  console.log(`\nAll ${step} steps were as promised.`);
  if (EXIT) await stopUp();
  else await stayUp();
} catch (error) {
  console.error(`\nNot as promised: ${error.message}`);
  if (existsSync(path.join(state, 'ovn-gitops.log'))) {
    console.error(
      `The last lines of the log:\n${readFileSync(path.join(state, 'ovn-gitops.log'), 'utf8').split('\n').slice(-15).join('\n')}`,
    );
  }
  process.exitCode = 1;
  await stopUp();
}

async function tell() {
  chapter('The examples are in force');
  await statusIs(
    (status) => status.source?.condition === 'Ready' && status.units.length > 0 && allReady(status),
  );
  const { units } = status();
  note(`${units.length} units are Ready: ${units.map((unit) => unit.unit).join(', ')}`);
  note(
    `northd has translated them: ${countLines(sbctl('--bare', '--columns=_uuid', 'find', 'Logical_Flow'))} logical flows in the Southbound`,
  );
  const before = dump();
  const flow = { from: 'edge/bastion', to: 'edge/web-0', port: 8443 };
  const closed = trace(flow);
  check(!closed, `ovn-trace: tcp ${flow.from} -> ${flow.to}:8443 is dropped`);

  chapter('A push changes the network');
  edit('policies/shop-groups.yaml', '        - from: 443\n', '        - from: 443\n        - from: 8443\n');
  show('git', ['diff', '--unified=0', '--no-color'], /^[-+] /);
  const pushed = push('Open port 8443 of the web servers');
  await until('the rule is in the Northbound', () => acls().some((acl) => acl.includes('8443')));
  note(`${Date.now() - pushed} ms from the end of git push to the row in the Northbound`);
  for (const acl of acls().filter((one) => one.includes('8443'))) note(`NB  ${acl}`);
  await statusIs(allReady);
  await until('northd has translated it', () => trace(flow));
  check(trace(flow), `ovn-trace: tcp ${flow.from} -> ${flow.to}:8443 is delivered now`);
  const [newest] = cli(['history', '--limit', '1', '--format', 'json']);
  const rows = newest.receipts.map(
    (receipt) =>
      `${receipt.unit} +${receipt.created} ~${receipt.updated} -${receipt.deleted} in ${receipt.tookMs} ms`,
  );
  note(`history: revision ${newest.sequence} "${newest.subject}": ${rows.join('; ')}`);

  chapter('A change by hand is put right');
  const open = dump();
  const edits = [
    {
      what: 'a port gets another address',
      command: ['lsp-set-addresses', 'edge/web-0', '02:00:00:00:00:66 10.10.0.66'],
    },
    { what: 'a router port is deleted', command: ['lrp-del', 'shop:shop-dmz'] },
    {
      what: 'all rules of a group are deleted',
      command: ['clear', 'Port_Group', 'sg..shop..shop_web', 'acls'],
    },
  ];
  for (const { what, command } of edits) {
    const seen = cli(['drift', '--format', 'json']).length;
    nbctl(...command);
    const at = Date.now();
    await until('the drift is recorded', () => cli(['drift', '--format', 'json']).length > seen);
    const [record] = cli(['drift', '--limit', '1', '--format', 'json']);
    check(
      record.outcome === 'corrected',
      `${what} ("ovn-nbctl ${command.slice(0, 2).join(' ')} ..."): put right ${record.correctedAt - record.seenAt} ms after it was seen`,
    );
    note(`        ${record.changes[0]}`);
    check(dump() === open, `        the Northbound is as before (looked at ${Date.now() - at} ms later)`);
  }
  nbctl('set', 'Logical_Router', 'shop', 'external_ids:team=operations');
  nbctl('ls-add', 'somebody-elses');
  await sleep(300);
  check(
    nbctl('get', 'Logical_Router', 'shop', 'external_ids:team').trim() === 'operations',
    'what is not ours is left alone: a foreign map key and a foreign switch are still there',
  );
  nbctl('remove', 'Logical_Router', 'shop', 'external_ids', 'team', '--', 'ls-del', 'somebody-elses');

  chapter('A bad commit changes nothing');
  edit('tenants/lab/subnets.yaml', '10.20.1.0/24', '10.20.1.7/24');
  push('A typing mistake');
  await statusIs((one) => one.source?.reason === 'Invalid');
  for (const line of status().source.diagnostics.split('\n').slice(0, 5)) note(line);
  check(dump() === open, 'the last good revision stays in force');

  chapter('git revert undoes');
  git(['revert', '--no-edit', 'HEAD']);
  git(['revert', '--no-edit', 'HEAD~2']);
  push(undefined);
  await until('the rule is gone', () => !acls().some((acl) => acl.includes('8443')));
  await statusIs(allReady);
  check(dump() === before, 'the Northbound has the same content as before the change, row by row');
  await until('northd has translated it', () => !trace(flow));
  check(!trace(flow), `ovn-trace: tcp ${flow.from} -> ${flow.to}:8443 is dropped again`);

  chapter('A destroyed Northbound comes back from Git');
  nbctl(
    ...nbctl('--bare', '--columns=name', 'list', 'Logical_Router')
      .split('\n')
      .filter(Boolean)
      .flatMap((name) => ['--', 'lr-del', name])
      .slice(1),
  );
  nbctl(
    'clear',
    'NB_Global',
    '.',
    'external_ids',
    '--',
    '--all',
    'destroy',
    'Logical_Switch',
    '--',
    '--all',
    'destroy',
    'Port_Group',
    '--',
    '--all',
    'destroy',
    'Load_Balancer',
    '--',
    '--all',
    'destroy',
    'Address_Set',
    '--',
    '--all',
    'destroy',
    'DHCP_Options',
  );
  const destroyed = Date.now();
  await until('the Northbound is back', () => dump() === before);
  note(`rebuilt within ${Date.now() - destroyed} ms`);
  check(dump() === before, 'it equals the old one, UUIDs aside');
}

function prepare() {
  try {
    ensure(console.log);
  } catch (error) {
    if (!(error instanceof EnsureError)) throw error;
    throw new Error(error.message, { cause: error });
  }
  if (isStale()) {
    console.log('demo: building');
    if (!build()) throw new Error('the build failed: see above');
  }
}

function makeRepository() {
  git(['init', '--quiet', '--bare', '--initial-branch=main', origin], scratch);
  git(['clone', '--quiet', origin, clone], scratch);
  cpSync(path.join(ROOT, 'examples-repo'), clone, { recursive: true });
  git(['checkout', '--quiet', '-B', 'main']);
  push('Start from the examples');
}

async function startUp() {
  console.log(`demo: ovn-gitops up ${origin} --state ${state}`);
  const args = [path.join(ROOT, 'bin', 'ovn-gitops'), 'up', origin, '--state', state, '--interval', '1s'];
  up = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  up.exited = new Promise((resolve) => up.once('exit', resolve));
  await until(
    'everything is up',
    () => up.exitCode !== null || existsSync(path.join(state, 'endpoints.json')),
  );
  if (up.exitCode !== null) throw new Error('ovn-gitops up did not start: see above');
}

async function stopUp() {
  if (up !== undefined && up.exitCode === null) {
    up.kill('SIGTERM');
    await up.exited;
  }
  rmSync(scratch, { recursive: true, force: true });
}

async function stayUp() {
  console.log(`
It stays up. Change files in ${clone}, commit, and "git push"; or change the Northbound by hand:

  ovn-nbctl --db=${endpoints().northbound} show
  bin/ovn-gitops status --state ${state}
  bin/ovn-gitops drift --state ${state}

Ctrl-C ends it and removes ${scratch}.`);
  await new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve);
    up.once('exit', resolve);
  });
  await stopUp();
}

function chapter(title) {
  step += 1;
  console.log(`\n${step}. ${title}`);
}

function note(text) {
  console.log(`   ${text}`);
}

function check(isTrue, promise) {
  if (!isTrue) throw new Error(promise);
  console.log(`   ok  ${promise}`);
}

async function until(what, condition) {
  const deadline = Date.now() + PATIENCE_MS;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`waited ${PATIENCE_MS / 1000} s until ${what}`);
    await sleep(20);
  }
}

function statusIs(condition) {
  return until('the status is as expected', () => condition(status()));
}

function allReady(found) {
  return (
    found.source?.condition === 'Ready' &&
    found.units.every((unit) => unit.condition === 'Ready' && unit.convergence?.translatedAt !== undefined)
  );
}

function status() {
  return cli(['status', '--format', 'json']);
}

/** Runs our own command line; what it prints is JSON. */
function cli(args) {
  const out = run(
    process.execPath,
    [path.join(ROOT, 'bin', 'ovn-gitops'), ...args, '--state', state],
    {},
    [0, 2],
  );
  return JSON.parse(out);
}

function dump() {
  return run(
    process.execPath,
    [path.join(ROOT, 'bin', 'ovn-gitops'), 'dump', '--nb', endpoints().northbound],
    {},
    [0],
  );
}

function endpoints() {
  return JSON.parse(readFileSync(path.join(state, 'endpoints.json'), 'utf8'));
}

function nbctl(...args) {
  return run('ovn-nbctl', [`--db=${endpoints().northbound}`, ...args]);
}

function sbctl(...args) {
  return run('ovn-sbctl', [`--db=${endpoints().southbound}`, ...args]);
}

/** The rules of the web servers' group as text, from one read: rows come and go while we look. */
function acls() {
  const columns = '--columns=priority,direction,match,action';
  const lines = nbctl('--format=csv', '--no-headings', '--data=bare', columns, 'list', 'ACL').split('\n');
  return lines.filter((line) => line.includes('@sg..shop..shop_web '));
}

/** True when a new TCP connection between two ports of one switch is delivered. */
function trace({ from, to, port }) {
  const [[srcMac, srcIp], [dstMac, dstIp]] = [addressesOf(from), addressesOf(to)];
  const flow = `inport == "${from}" && eth.src == ${srcMac} && eth.dst == ${dstMac} && ip4.src == ${srcIp} && ip4.dst == ${dstIp} && ip.ttl == 64 && tcp.src == 40000 && tcp.dst == ${port}`;
  const out = run('ovn-trace', [
    `--db=${endpoints().southbound}`,
    '--ct=new',
    '--ct=new',
    '--minimal',
    'shop-dmz',
    flow,
  ]);
  return out.includes(`output("${to}")`);
}

function addressesOf(port) {
  return nbctl('lsp-get-addresses', port).trim().split(/\s+/);
}

function edit(file, from, to) {
  const full = path.join(clone, file);
  const text = readFileSync(full, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} has no ${JSON.stringify(from)}`);
  writeFileSync(full, text.replace(from, to));
}

/** Commits (unless that is done) and pushes; gives back when the push was through. */
function push(subject) {
  if (subject !== undefined) {
    git(['add', '--all']);
    git(['commit', '--quiet', '--message', subject]);
  }
  git(['push', '--quiet', 'origin', 'main']);
  if (subject !== undefined) note(`git push: "${subject}"`);
  return Date.now();
}

function show(command, args, pattern) {
  for (const line of run(command, args, { cwd: clone }).split('\n')) if (pattern.test(line)) note(line);
}

function git(args, cwd = clone) {
  const who = {
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
  };
  return run('git', args, { cwd, env: { ...process.env, ...who, GIT_CONFIG_GLOBAL: '/dev/null' } });
}

function run(command, args, options = {}, codes = [0]) {
  const done = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  if (done.error !== undefined) throw done.error;
  if (!codes.includes(done.status))
    throw new Error(
      `${command} ${args.slice(0, 3).join(' ')} ended with ${done.status}: ${done.stderr}${done.stdout}`,
    );
  return done.stdout;
}

function countLines(text) {
  return text.split('\n').filter((line) => line !== '').length;
}
