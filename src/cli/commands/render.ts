import { renderNb } from '../../compile/render-nb.ts';
import type { Command } from '../command.ts';
import { desiredFromPath } from '../desired-from-path.ts';
import { printFault } from '../fault.ts';

/** `ovn-gitops render PATH` */
export const RENDER: Command = {
  name: 'render',
  summary: 'Print the Northbound rows that a spec repository stands for, as JSON.',
  positionals: ['PATH'],
  options: {
    head: { placeholder: 'REV', description: 'render a commit instead of the files as they lie there' },
  },
  exitCodes: ['0  printed', '1  the repository is not valid'],
  async run(input, parts) {
    const result = await desiredFromPath(parts, input.positionals[0] ?? '.', input.text('head'));
    if (!result.ok) {
      printFault(parts, result.error, 'text');
      return 1;
    }
    parts.out(`${JSON.stringify(renderNb(result.value.desired.state), undefined, 2)}\n`);
    return 0;
  },
};
