import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { EmbeddedFailure } from './embedded-error.ts';
import { findProcess, isRunning } from './running-process.ts';

/** Held by one process at a time, for one state directory. */
export interface DirectoryLock {
  release(): void;
}

/**
 * Takes the lock file of a state directory. A lock whose process is gone, or whose pid belongs to another process by
 * now, is taken over.
 *
 * @throws EmbeddedFailure DIRECTORY_IN_USE
 */
export function lockDirectory(file: string): DirectoryLock {
  const claim = `${file}.${process.pid}`;
  const own = `${process.pid} ${findProcess(process.pid)?.startedAt ?? ''}\n`;
  writeFileSync(claim, own, { mode: 0o600 });
  try {
    // A link is made whole or not at all, so that nobody ever reads a lock without its holder's pid.
    while (!linked(claim, file)) removeStale(file);
  } finally {
    rmSync(claim, { force: true });
  }
  return {
    release: () => {
      if (contentOf(file) === own) rmSync(file, { force: true });
    },
  };
}

function linked(claim: string, file: string): boolean {
  try {
    linkSync(claim, file);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  }
}

function removeStale(file: string): void {
  const content = contentOf(file);
  const [pid, startedAt = ''] = content.trim().split(' ');
  if (isRunning({ pid: Number(pid), startedAt })) {
    throw new EmbeddedFailure(
      'DIRECTORY_IN_USE',
      `process ${pid} already runs the servers of this state directory (${file})`,
      `Stop process ${pid} first, or name another state directory.`,
    );
  }
  const aside = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  // Somebody else may have replaced the stale lock between our look and our rename: give theirs back.
  if (contentOf(aside) !== content) linked(aside, file);
  rmSync(aside, { force: true });
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
