import type { Program } from './installation.ts';

/** A program that is started again whenever it dies, as a service manager does. */
export interface ImmortalProgram {
  /** How often it died. */
  readonly deaths: number;
  /** SIGTERM and wait; gives back the exit code of the last process. */
  stop(): Promise<number | null>;
}

/** Starts a program and keeps it running; a process that ends before it has started counts as dead too. */
export async function keepRunning(start: () => Promise<Program>): Promise<ImmortalProgram> {
  let deaths = 0;
  let isStopped = false;
  let program = await start();
  const life = (async (): Promise<number | null> => {
    for (;;) {
      const code = await program.exited;
      if (isStopped) return code;
      deaths += 1;
      program = await startAgain();
    }
  })();
  async function startAgain(): Promise<Program> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await start();
      } catch (error) {
        if (attempt === MOST_ATTEMPTS) throw error;
        deaths += 1;
      }
    }
  }
  return {
    get deaths() {
      return deaths;
    },
    stop: async () => {
      isStopped = true;
      await program.stop();
      return life;
    },
  };
}

/** A program that can't start is not one that was killed while it did. */
const MOST_ATTEMPTS = 20;
