import type { Command } from '../command.ts';
import { STORE_OPTIONS, withStore } from '../store-options.ts';

/** `ovn-gitops allow COMMIT` */
export const ALLOW: Command = {
  name: 'allow',
  summary: 'Let one commit pass a hold (rewritten history, mass deletion, moving addresses).',
  positionals: ['COMMIT'],
  options: STORE_OPTIONS,
  exitCodes: ['0  allowed; the controller applies it at its next look', '1  an error; nothing was allowed'],
  run: (input, parts) =>
    withStore(input, parts, async (store) => {
      const given = input.positionals[0] ?? '';
      const seen = (await store.source())?.seen;
      if (given.length < 7) {
        parts.err(`"${given}" is too short: give at least seven digits of the commit\n`);
        return 1;
      }
      if (seen === undefined || !seen.startsWith(given)) {
        parts.err(
          `"${given}" is not the commit that waits${seen === undefined ? '' : ` (${seen.slice(0, 12)})`}\n`,
        );
        return 1;
      }
      await store.allow(seen);
      parts.out(`commit ${seen.slice(0, 12)} is allowed\n`);
      return 0;
    }),
};
