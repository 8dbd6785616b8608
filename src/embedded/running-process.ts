import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process as proc(5) shows it; a pid alone may have been given to another process since. */
export interface RunningProcess {
  readonly pid: number;
  /** Clock ticks since boot: with the pid it names one process for good. */
  readonly startedAt: string;
  readonly commandLine: readonly string[];
}

/** The process with this pid, or undefined when there is none (a zombie counts as none). */
export function findProcess(pid: number): RunningProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name stands in parentheses and may hold anything: count the fields from the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startedAt] = [fields[0], fields[19]];
    if (startedAt === undefined || state === 'Z' || state === 'X') return undefined;
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
    return { pid, startedAt, commandLine };
  } catch {
    return undefined;
  }
}

/** True while that very process runs, not merely one of the same pid. */
export function isRunning(process: Pick<RunningProcess, 'pid' | 'startedAt'>): boolean {
  return findProcess(process.pid)?.startedAt === process.startedAt;
}

/**
 * Ends a process with SIGTERM and, when it is still there after `patienceMs`, with SIGKILL.
 *
 * @returns false when it is still there after that, or may not be signalled.
 */
export async function endProcess(target: RunningProcess, patienceMs: number): Promise<boolean> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isRunning(target)) return true;
    try {
      process.kill(target.pid, signal);
    } catch {
      return !isRunning(target);
    }
    const deadline = performance.now() + patienceMs;
    while (isRunning(target) && performance.now() < deadline) await sleep(20);
  }
  return !isRunning(target);
}
