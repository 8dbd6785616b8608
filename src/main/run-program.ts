import { READER_LEFT } from '../cli/parts.ts';
import { runCli } from '../cli/run.ts';
import { cliParts } from './cli-parts.ts';

/** What a shell reports for a program that SIGPIPE ended. */
const READER_GONE = 141;

/** Runs the program in this process: its signals, output streams and exit code are the command's. */
export async function runProgram(args: readonly string[], version: string): Promise<void> {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  const output = watchOutput(stop);
  const parts = cliParts(process.env, stop.signal, output.allowReaderToLeave);
  const code = await runCli(args, process.env, version, parts);
  process.exitCode = output.failed() ?? code;
}

/**
 * Output that nobody reads any more (`plan . | head -1`) ends the command without a word, as it ends any program;
 * output that cannot be written is said once, and a command that runs for long goes on.
 *
 * `failed` gives the exit code that the streams call for, if any.
 */
function watchOutput(stop: AbortController): {
  readonly failed: () => number | undefined;
  readonly allowReaderToLeave: () => void;
} {
  let failed: number | undefined;
  let readerGone = READER_GONE;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      const isFirst = failed === undefined;
      failed ??= error.code === 'EPIPE' ? readerGone : 1;
      // The command may have given back its code before the stream failed.
      process.exitCode = failed;
      if (error.code === 'EPIPE') stop.abort(READER_LEFT);
      else if (isFirst && stream === process.stdout) {
        process.stderr.write(`ovn-gitops: standard output cannot be written: ${error.message}\n`);
      }
    });
  }
  return {
    failed: () => failed,
    allowReaderToLeave: () => {
      readerGone = 0;
    },
  };
}
