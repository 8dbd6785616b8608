import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { EmbeddedFailure } from './embedded-error.ts';
import type { Layout } from './layout.ts';
import { PARTS, type Part, programOf } from './part.ts';
import { endProcess, findProcess, type RunningProcess } from './running-process.ts';

/** What remained of an earlier run that was killed. */
export interface Leftover {
  readonly part: Part;
  readonly pid: number;
}

/**
 * Ends servers that an earlier run of this state directory left behind, the last started first. A process counts as
 * ours only when its pid is in our pid file and its command line runs the part's program on this very directory, so a
 * pid that was given to another process since is never touched.
 *
 * @throws EmbeddedFailure LEFTOVER_REMAINS
 */
export async function endLeftovers(layout: Layout, patienceMs: number): Promise<readonly Leftover[]> {
  const ended: Leftover[] = [];
  for (const part of PARTS.toReversed()) {
    const leftover = findLeftover(layout, part);
    if (leftover !== undefined) {
      if (!(await endProcess(leftover, patienceMs))) {
        throw new EmbeddedFailure(
          'LEFTOVER_REMAINS',
          `${programOf(part)} (process ${leftover.pid}) of an earlier run does not end`,
          `End process ${leftover.pid}, then start again.`,
        );
      }
      ended.push({ part, pid: leftover.pid });
    }
    rmSync(layout.pidFile[part], { force: true });
  }
  return ended;
}

function findLeftover(layout: Layout, part: Part): RunningProcess | undefined {
  let pid: number;
  try {
    pid = Number.parseInt(readFileSync(layout.pidFile[part], 'utf8'), 10);
  } catch {
    return undefined;
  }
  const found = Number.isInteger(pid) && pid > 1 ? findProcess(pid) : undefined;
  return found !== undefined && isOurs(found, layout, part) ? found : undefined;
}

function isOurs(found: RunningProcess, layout: Layout, part: Part): boolean {
  const [program = '', ...rest] = found.commandLine;
  if (path.basename(program) !== programOf(part)) return false;
  return rest.some((argument) => argument.includes(layout.socket[part]));
}
