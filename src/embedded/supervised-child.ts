import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import type { PartCommand } from './part-command.ts';

/** The first pause before a restart, ms; it doubles up to the longest. */
const SHORTEST_PAUSE = 100;
const LONGEST_PAUSE = 10_000;
/** A child that lived this long is healthy: its next restart waits for the shortest pause again, ms. */
const HEALTHY_AFTER = 30_000;

/** How a child ended, and when it is started again. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** undefined while starting: the first death is a failed start, not a reason to restart. */
  readonly restartInMs: number | undefined;
}

export interface ChildOptions {
  readonly command: PartCommand;
  readonly cwd: string;
  readonly socket: string;
  readonly logFile: string;
  readonly pidFile: string;
  readonly onExit: (exit: ChildExit) => void;
  readonly onRestart: (pid: number) => void;
}

/** A child process that is started again, with growing pauses, for as long as it is wanted. */
export class SupervisedChild {
  readonly #options: ChildOptions;
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pause = SHORTEST_PAUSE;
  #wanted = false;

  constructor(options: ChildOptions) {
    this.#options = options;
    this.#spawn();
  }

  /** The pid of the running child; undefined between a death and the restart. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** From now on a death leads to a restart. */
  keep(): void {
    this.#wanted = true;
    if (this.#child === undefined) this.#restartLater();
  }

  /** SIGTERM, then SIGKILL when it is still there after `patienceMs`. Resolves when the child is gone. */
  async stop(patienceMs: number): Promise<void> {
    this.#wanted = false;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child?.pid !== undefined) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      const killer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
      await gone;
      clearTimeout(killer);
    }
    rmSync(this.#options.pidFile, { force: true });
    rmSync(this.#options.socket, { force: true });
  }

  #spawn(): void {
    const { command, cwd, socket, logFile, pidFile } = this.#options;
    rmSync(socket, { force: true });
    const log = openSync(logFile, 'a', 0o600);
    const child = spawn(command.program, command.arguments, {
      cwd,
      env: command.environment,
      stdio: ['ignore', log, log],
      // A process group of its own: Ctrl-C in the terminal is for us, and we end the children in order.
      detached: true,
    });
    closeSync(log);
    this.#child = child;
    const startedAt = performance.now();
    child.once('error', () => {
      // Without a pid there is no 'exit' to follow (ENOENT, EAGAIN).
      if (child.pid === undefined) this.#ended(startedAt, null, null);
    });
    child.once('exit', (code, signal) => {
      this.#ended(startedAt, code, signal);
    });
    if (child.pid !== undefined) writeFileSync(pidFile, `${child.pid}\n`, { mode: 0o600 });
  }

  #ended(startedAt: number, code: number | null, signal: NodeJS.Signals | null): void {
    this.#child = undefined;
    if (performance.now() - startedAt >= HEALTHY_AFTER) this.#pause = SHORTEST_PAUSE;
    const restartInMs = this.#wanted ? this.#pause : undefined;
    if (this.#wanted) this.#restartLater();
    this.#options.onExit({ code, signal, restartInMs });
  }

  #restartLater(): void {
    this.#timer = setTimeout(() => {
      this.#spawn();
      if (this.#child?.pid !== undefined) this.#options.onRestart(this.#child.pid);
    }, this.#pause);
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
  }
}
