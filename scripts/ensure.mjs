// Makes a fresh machine ready: Node, the npm packages of package-lock.json and the Debian packages that the servers come
// from. A quick no-op when all is there. Uses nothing but Node itself, because nothing else is there yet.
//
//   node scripts/ensure.mjs

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = path.dirname(import.meta.dirname);

/** Debian packages, each with the commands by which it is known to be there. */
const PACKAGES = {
  'ovn-central': ['ovn-northd', 'ovn-nbctl', 'ovn-sbctl', 'ovn-trace'],
  'ovn-host': ['ovn-controller'],
  'openvswitch-switch': ['ovs-vswitchd'],
  'openvswitch-common': ['ovsdb-server', 'ovsdb-client', 'ovsdb-tool', 'ovs-appctl', 'ovs-vsctl'],
  'redis-server': ['redis-server', 'redis-cli'],
  git: ['git'],
  openssl: ['openssl'],
};

/** Where commands are: sbin is not on every user's PATH. */
const FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** Something is missing and could not be installed; the message says what to do. */
export class EnsureError extends Error {
  name = 'ensure';
}

/** Ensures everything. `say` is told what is being done. */
export function ensure(say = console.log) {
  ensureNode();
  ensureDebianPackages(say);
  ensureNpmPackages(say);
}

/** Installs the npm packages of package-lock.json when any of them is missing or of another version. */
export function ensureNpmPackages(say = console.log) {
  const reason = staleReason();
  if (reason === undefined) return;
  say(`ensure: npm ci (${reason})`);
  // What npm prints is progress: it must not end up in the output of a command that called us.
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, PATH: `${path.dirname(process.execPath)}:${process.env.PATH}` },
  });
  if (status !== 0) {
    throw new EnsureError('npm ci failed: see above. It needs the npm registry that npm is configured for.');
  }
}

function ensureNode() {
  const { engines } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const [major, minor] = engines.node.replace('>=', '').split('.').map(Number);
  const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number);
  if (ownMajor < major || (ownMajor === major && ownMinor < minor)) {
    throw new EnsureError(`Node ${engines.node} is needed, this is ${process.versions.node}.`);
  }
}

/** Why node_modules does not hold what the lock file says, or undefined when it does. */
function staleReason() {
  const wanted = packagesIn(path.join(ROOT, 'package-lock.json'));
  const installedFile = path.join(ROOT, 'node_modules', '.package-lock.json');
  if (!existsSync(installedFile)) return 'nothing is installed';
  const installed = packagesIn(installedFile);
  for (const [where, { version, integrity, optional }] of Object.entries(wanted)) {
    if (where === '') continue;
    const found = installed[where];
    // Optional packages are for other platforms as well; npm installs those that fit.
    if (found === undefined && optional === true) continue;
    if (found === undefined) return `${where} is missing`;
    if (found.version !== version || found.integrity !== integrity) return `${where} is not ${version}`;
  }
  return undefined;
}

function packagesIn(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

function ensureDebianPackages(say) {
  const missing = Object.keys(PACKAGES).filter((name) => !PACKAGES[name].every(isCommand));
  if (missing.length === 0) return;
  const byHand = `apt-get install --no-install-recommends ${missing.join(' ')}`;
  if (!isCommand('apt-get')) {
    const commands = missing.flatMap((name) => PACKAGES[name].filter((command) => !isCommand(command)));
    throw new EnsureError(
      `missing commands: ${commands.join(', ')}. Install what Debian calls ${missing.join(', ')}.`,
    );
  }
  const asRoot = rootPrefix();
  if (asRoot === undefined) throw new EnsureError(`missing packages. Run as root: ${byHand}`);
  say(`ensure: ${byHand}`);
  const [command, ...words] = [...asRoot, 'sh', '-c', INSTALL, 'install', ...missing];
  const { status } = spawnSync(command, words, { stdio: ['inherit', 2, 2] });
  if (status !== 0) throw new EnsureError(`installing failed: see above. Run as root: ${byHand}`);
}

/** Nothing for root, sudo where it may be used (it asks for the password only on a terminal), undefined otherwise. */
function rootPrefix() {
  if (process.getuid?.() === 0) return [];
  if (!isCommand('sudo')) return undefined;
  if (process.stdin.isTTY) return ['sudo'];
  return spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0 ? ['sudo', '-n'] : undefined;
}

/**
 * The packages would start their services, and the tests run private ones: a policy-rc.d of ours forbids that for the
 * time being, unless the machine has its own. The package lists are fetched only when the ones at hand don't suffice.
 */
const INSTALL = `
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 1' INT TERM HUP
  printf '#!/bin/sh\\nexit 101\\n' > "$policy" && chmod 755 "$policy" || exit 1
fi
export DEBIAN_FRONTEND=noninteractive
install() { apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@"; }
install "$@" || { apt-get -o Acquire::Retries=3 update && install "$@"; }
`;

function isCommand(name) {
  return [...FOLDERS, ...(process.env.PATH ?? '').split(':')].some((folder) =>
    existsSync(path.join(folder, name)),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    ensure();
  } catch (error) {
    if (!(error instanceof EnsureError)) throw error;
    console.error(`ensure: ${error.message}`);
    process.exitCode = 1;
  }
}
