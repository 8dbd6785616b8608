import { readFileSync } from 'node:fs';
import { runCli } from '../cli/run.ts';
import { cliParts } from './cli-parts.ts';

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());

process.exitCode = await runCli(
  process.argv.slice(2),
  process.env,
  version(),
  cliParts(process.env, stop.signal),
);

function version(): string {
  for (const place of ['../../package.json', '../../../package.json']) {
    try {
      const found = JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8')) as {
        readonly version?: string;
      };
      if (found.version !== undefined) return found.version;
    } catch {
      // The other place it is: a checkout and a build differ by one folder.
    }
  }
  return 'unknown';
}
