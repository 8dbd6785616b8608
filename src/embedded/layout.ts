import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedFailure } from './embedded-error.ts';
import { makeDirectory } from './make-directory.ts';
import { PARTS, type Part } from './part.ts';

/** sun_path of unix(7) has 108 bytes and ends with a zero byte. */
const LONGEST_SOCKET_PATH = 107;

/** Where everything of one state directory lies. */
export interface Layout {
  /** The state directory, absolute, symbolic links resolved. */
  readonly directory: string;
  /** `directory`/run, or a short directory in the temporary folder when socket paths in there would be too long. */
  readonly sockets: string;
  readonly lock: string;
  readonly redisData: string;
  readonly socket: Readonly<Record<Part, string>>;
  readonly database: Readonly<Record<'northbound' | 'southbound', string>>;
  readonly log: Readonly<Record<Part, string>>;
  readonly pidFile: Readonly<Record<Part, string>>;
}

/**
 * Makes the state directory (mode 0700) with its folders and says where things go in it.
 *
 * @throws EmbeddedFailure DIRECTORY_UNUSABLE, PATH_TOO_LONG
 */
export function makeLayout(wanted: string): Layout {
  const directory = makeDirectory(path.resolve(wanted));
  for (const folder of ['run', 'log', 'redis']) makeDirectory(path.join(directory, folder));
  const sockets = socketDirectory(directory);
  return {
    directory,
    sockets,
    lock: path.join(directory, 'lock'),
    redisData: path.join(directory, 'redis'),
    socket: filePerPart(sockets, '.sock'),
    database: {
      northbound: path.join(directory, 'northbound.db'),
      southbound: path.join(directory, 'southbound.db'),
    },
    log: filePerPart(path.join(directory, 'log'), '.log'),
    pidFile: filePerPart(path.join(directory, 'run'), '.pid'),
  };
}

function filePerPart(folder: string, ending: string): Readonly<Record<Part, string>> {
  const entries = PARTS.map((part) => [part, path.join(folder, `${part}${ending}`)] as const);
  return Object.fromEntries(entries) as Record<Part, string>;
}

function socketDirectory(directory: string): string {
  const own = path.join(directory, 'run');
  if (fits(own)) return own;
  // The name follows from the directory, so that a later start finds the same place again.
  const name = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  const short = path.join(tmpdir(), `ovn-gitops-${name}`);
  if (!fits(short)) {
    throw new EmbeddedFailure(
      'PATH_TOO_LONG',
      `socket paths in ${own} and in ${short} are longer than ${LONGEST_SOCKET_PATH} bytes`,
      'Use a state directory with a shorter path, or a shorter temporary folder.',
    );
  }
  makeDirectory(short);
  // The temporary folder is everybody's: somebody else's directory or link of that name is not to be trusted.
  const { uid, mode, isDirectory } = statusOf(short);
  if (!isDirectory || uid !== process.getuid?.() || (mode & 0o077) !== 0) {
    throw new EmbeddedFailure(
      'DIRECTORY_UNUSABLE',
      `${short} exists and is not a private directory of this user`,
      `Remove ${short}, or use a state directory with a shorter path.`,
    );
  }
  return short;
}

function statusOf(file: string): { uid: number; mode: number; isDirectory: boolean } {
  const status = lstatSync(file);
  return { uid: status.uid, mode: status.mode, isDirectory: status.isDirectory() };
}

function fits(directory: string): boolean {
  const longest = PARTS.map((part) => `${part}.sock`.length).reduce((a, b) => Math.max(a, b));
  return Buffer.byteLength(directory) + 1 + longest <= LONGEST_SOCKET_PATH;
}
