import { readFileSync, renameSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fail, ok, type Result } from '../lib/result.ts';
import { answers } from './answers.ts';
import { createDatabase, DATABASE_ORIGINS } from './create-database.ts';
import { type DirectoryLock, lockDirectory } from './directory-lock.ts';
import { type EmbeddedError, EmbeddedFailure } from './embedded-error.ts';
import { endLeftovers } from './end-leftovers.ts';
import { findPrograms, type Programs } from './find-programs.ts';
import { type Layout, makeLayout } from './layout.ts';
import { type Part, PARTS, withNeeded } from './part.ts';
import { partCommand } from './part-command.ts';
import { type ChildExit, SupervisedChild } from './supervised-child.ts';

/** How long a part may take to serve, ms: Redis and ovsdb-server read all their data first. */
const START_PATIENCE = 60_000;
/** How long a part may take to end after SIGTERM, ms. */
const STOP_PATIENCE = 5_000;
/** A log file larger than this is moved aside at the next start, bytes. */
const LARGE_LOG = 10 * 1024 * 1024;

export interface EmbeddedOptions {
  /** The state directory; made with mode 0700 when absent, kept for the next start. */
  readonly directory: string;
  /** What to run; all of it when absent. northd brings both databases along. */
  readonly parts?: readonly Part[];
  /** Folders to search for the programs instead of the usual ones. */
  readonly programFolders?: readonly string[];
  readonly log?: (event: string, fields: Readonly<Record<string, unknown>>) => void;
  /** Told when a part dies by itself; it is started again after `restartInMs`. */
  readonly onExit?: (part: Part, exit: ChildExit) => void;
}

/** The running servers. Addresses of parts that were not asked for lead nowhere. */
export interface Embedded {
  /** The path of Redis' unix socket. */
  readonly redis: { readonly path: string };
  /** OVSDB remotes, `unix:PATH`. */
  readonly northbound: string;
  readonly southbound: string;
  /** Pids at this moment; a part that is about to be restarted is missing. */
  readonly pids: Readonly<Partial<Record<Part, number>>>;
  readonly logs: Readonly<Record<Part, string>>;
  /** Ends everything, northd first and Redis last. The data stay. Can be called twice. */
  stop(): Promise<void>;
}

/**
 * Runs the network's own servers as supervised children of this process, as any user, on unix sockets only. A part that
 * dies is started again with growing pauses; where setpriv(1) of util-linux exists, all of them end with this process
 * even when it is killed, and otherwise the next start ends what is left.
 */
export async function startEmbedded(
  options: EmbeddedOptions,
  signal?: AbortSignal,
): Promise<Result<Embedded, EmbeddedError>> {
  let lock: DirectoryLock | undefined;
  const children = new Map<Part, SupervisedChild>();
  const stop = async (): Promise<void> => {
    for (const part of PARTS.toReversed()) await children.get(part)?.stop(STOP_PATIENCE);
    lock?.release();
  };
  try {
    const parts = withNeeded(options.parts ?? PARTS);
    const programs = findPrograms(parts, options.programFolders);
    const layout = makeLayout(options.directory);
    lock = lockDirectory(layout.lock);
    for (const leftover of await endLeftovers(layout, STOP_PATIENCE)) {
      options.log?.('embedded.leftover-ended', { ...leftover });
    }
    for (const part of parts) {
      await startPart(part, layout, programs, { options, children }, signal);
      options.log?.('embedded.started', { part, pid: children.get(part)?.pid });
    }
    return ok(embedded(layout, children, stop));
  } catch (cause) {
    await stop();
    return fail(startError(cause, options.directory));
  }
}

/** What the system refused (a full disk, a file of somebody else) is the user's to mend; the rest is ours, and thrown. */
function startError(cause: unknown, directory: string): EmbeddedError {
  if (cause instanceof EmbeddedFailure) return cause.error;
  const { syscall, message } = cause as NodeJS.ErrnoException;
  if (syscall === undefined) throw cause;
  return {
    code: 'DIRECTORY_UNUSABLE',
    message: `cannot use the state directory ${directory}: ${message}`,
    hint: 'Make room and let this user read and write everything in it, or name another directory.',
  };
}

function embedded(
  layout: Layout,
  children: ReadonlyMap<Part, SupervisedChild>,
  stop: () => Promise<void>,
): Embedded {
  return {
    redis: { path: layout.socket.redis },
    northbound: `unix:${layout.socket.northbound}`,
    southbound: `unix:${layout.socket.southbound}`,
    get pids() {
      const pids: Partial<Record<Part, number>> = {};
      for (const [part, { pid }] of children) if (pid !== undefined) pids[part] = pid;
      return pids;
    },
    logs: layout.log,
    stop,
  };
}

async function startPart(
  part: Part,
  layout: Layout,
  programs: Programs,
  { options, children }: { options: EmbeddedOptions; children: Map<Part, SupervisedChild> },
  signal: AbortSignal | undefined,
): Promise<void> {
  if (part === 'northbound' || part === 'southbound') {
    await createDatabase(programs.path('ovsdb-tool'), layout.database[part], DATABASE_ORIGINS[part]);
  }
  moveLargeLogAside(layout.log[part]);
  const child = new SupervisedChild({
    command: partCommand(part, layout, programs),
    cwd: layout.directory,
    socket: layout.socket[part],
    logFile: layout.log[part],
    pidFile: layout.pidFile[part],
    onExit: (exit) => {
      options.log?.('embedded.exited', { part, ...exit });
      if (exit.restartInMs !== undefined) options.onExit?.(part, exit);
    },
    onRestart: (pid) => options.log?.('embedded.restarted', { part, pid }),
  });
  children.set(part, child);
  await serving(part, layout, child, signal);
  child.keep();
}

/** Waits until the part answers on its socket. */
async function serving(
  part: Part,
  layout: Layout,
  child: SupervisedChild,
  signal: AbortSignal | undefined,
): Promise<void> {
  const deadline = performance.now() + START_PATIENCE;
  while (!(await answers(part, layout.socket[part]))) {
    if (signal?.aborted === true) {
      throw new EmbeddedFailure('ABORTED', `${part} was still starting`, 'Start again.');
    }
    if (child.pid === undefined || performance.now() > deadline) {
      const state = child.pid === undefined ? 'ended while starting' : 'does not answer';
      throw new EmbeddedFailure(
        'START_FAILED',
        `${part} ${state}: ${child.reason ?? lastLines(layout.log[part])}`,
        `Read ${layout.log[part]}.`,
      );
    }
    await sleep(20);
  }
}

function lastLines(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-3).join(' / ');
  } catch (cause) {
    return (cause as Error).message;
  }
}

function moveLargeLogAside(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LARGE_LOG) renameSync(file, `${file}.1`);
}
