import { readFileSync } from 'node:fs';
import { runProgram } from './run-program.ts';

await runProgram(process.argv.slice(2), version());

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
