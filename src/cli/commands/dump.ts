import type { Command } from '../command.ts';
import { NB_OPTIONS, readNbAddress } from '../nb-options.ts';

/** `ovn-gitops dump --nb ENDPOINT` */
export const DUMP: Command = {
  name: 'dump',
  summary: 'Print the whole content of a Northbound without UUIDs, to compare two of them.',
  positionals: [],
  options: NB_OPTIONS,
  exitCodes: ['0  printed', '1  an error'],
  async run(input, parts) {
    const address = readNbAddress(input);
    if (!address.ok) {
      parts.err(`${address.error}\n`);
      return 1;
    }
    const dump = await parts.dumpNorthbound(address.value.endpoint, address.value);
    if (!dump.ok) {
      parts.err(`${dump.error}\n`);
      return 1;
    }
    parts.out(`${JSON.stringify(dump.value, undefined, 2)}\n`);
    return 0;
  },
};
