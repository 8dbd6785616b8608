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
  /** Why it could not be started, or not be kept; absent when it ended by itself. */
  readonly reason?: string;
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
  #reason: string | undefined;

  constructor(options: ChildOptions) {
    this.#options = options;
    this.#spawn();
  }

  /** The pid of the running child; undefined between a death and the restart. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Why the last start came to nothing; undefined when the child ended by itself. */
  get reason(): string | undefined {
    return this.#reason;
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

  /** Starts the child. What fails, a full disk for one, is an end like any other: reported, and tried again if wanted. */
  #spawn(): void {
    const startedAt = performance.now();
    let child: ChildProcess;
    try {
      child = this.#launch();
    } catch (cause) {
      this.#ended(startedAt, { code: null, signal: null, reason: (cause as Error).message });
      return;
    }
    this.#child = child;
    let reason: string | undefined;
    child.once('error', (error) => {
      // Without a pid there is no 'exit' to follow (ENOENT, EAGAIN).
      if (child.pid === undefined)
        this.#ended(startedAt, { code: null, signal: null, reason: error.message });
    });
    child.once('exit', (code, signal) => {
      this.#ended(startedAt, { code, signal, ...(reason === undefined ? {} : { reason }) });
    });
    if (child.pid === undefined) return;
    try {
      writeFileSync(this.#options.pidFile, `${child.pid}\n`, { mode: 0o600 });
    } catch (cause) {
      // A child that no pid file names would be lost if we were killed. All of them survive SIGKILL.
      reason = (cause as Error).message;
      child.kill('SIGKILL');
    }
  }

  #launch(): ChildProcess {
    const { command, cwd, socket, logFile } = this.#options;
    rmSync(socket, { force: true });
    const log = openSync(logFile, 'a', 0o600);
    try {
      return spawn(command.program, command.arguments, {
        cwd,
        env: command.environment,
        stdio: ['ignore', log, log],
        // A process group of its own: Ctrl-C in the terminal is for us, and we end the children in order.
        detached: true,
      });
    } finally {
      closeSync(log);
    }
  }

  #ended(startedAt: number, exit: Omit<ChildExit, 'restartInMs'>): void {
    this.#child = undefined;
    this.#reason = exit.reason;
    if (performance.now() - startedAt >= HEALTHY_AFTER) this.#pause = SHORTEST_PAUSE;
    const restartInMs = this.#wanted ? this.#pause : undefined;
    if (this.#wanted) this.#restartLater();
    this.#options.onExit({ ...exit, restartInMs });
  }

  #restartLater(): void {
    this.#timer = setTimeout(() => {
      this.#spawn();
      if (this.#child?.pid !== undefined) this.#options.onRestart(this.#child.pid);
    }, this.#pause);
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
  }
}
