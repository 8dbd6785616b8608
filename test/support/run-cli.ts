import { runCli } from '../../src/cli/run.ts';
import { cliParts } from '../../src/main/cli-parts.ts';

export interface CliRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command of the program in this process and gathers what it prints; `input` is its standard input. */
export async function runInProcess(
  args: readonly string[],
  {
    signal = AbortSignal.timeout(60_000),
    input,
    color = false,
    onOut = () => {},
  }: {
    readonly signal?: AbortSignal;
    readonly input?: string;
    readonly color?: boolean;
    /** Told all that was printed so far, each time. */
    readonly onOut?: (out: string) => void;
  } = {},
): Promise<CliRun> {
  let [out, err] = ['', ''];
  const add = (text: string): void => {
    out += text;
    onOut(out);
  };
  const real = cliParts({}, signal);
  const parts: typeof real = {
    ...real,
    out: add,
    err: (text) => void (err += text),
    write: async (text) => {
      signal.throwIfAborted();
      add(text);
    },
    hasColor: color,
    readText: async (file) =>
      file === '-' && input !== undefined ? { ok: true, value: input } : real.readText(file),
  };
  const code = await runCli(args, {}, '1.2.3', parts);
  return { code, out, err };
}
