import { printPlans } from '../../plan/print.ts';
import { applyOnce } from '../../reconcile/apply-once.ts';
import type { Command } from '../command.ts';
import { FORMAT_OPTION } from '../command.ts';
import { desiredFromPath } from '../desired-from-path.ts';
import { printFault } from '../fault.ts';
import { NB_OPTIONS, openFromInput } from '../nb-options.ts';

/** `ovn-gitops apply PATH --nb ENDPOINT` */
export const APPLY: Command = {
  name: 'apply',
  summary: 'Bring a Northbound to a spec repository in one go, without Redis.',
  positionals: ['PATH'],
  options: {
    ...NB_OPTIONS,
    head: { placeholder: 'REV', description: 'apply this commit instead of the files as they lie there' },
    allow: { description: 'pass the holds: mass deletion, moving addresses' },
    format: FORMAT_OPTION,
  },
  exitCodes: ['0  the Northbound is as the repository says', '1  an error; what was not written is named'],
  async run(input, parts) {
    const format = input.required('format');
    const head = await desiredFromPath(parts, input.positionals[0] ?? '.', input.text('head'));
    if (!head.ok) {
      printFault(parts, head.error, format);
      return 1;
    }
    const opened = await openFromInput(input, parts);
    if (!opened.ok) {
      printFault(parts, { message: opened.error }, format);
      return 1;
    }
    const northbound = opened.value;
    try {
      const owner = input.required('owner');
      const options = { now: parts.clock(), passHolds: input.isSet('allow') };
      const result = await applyOnce(northbound, head.value, owner, options, parts.signal);
      if (format === 'json') {
        parts.out(`${JSON.stringify(result, undefined, 2)}\n`);
      } else {
        parts.out(printPlans(result.written.map((entry) => entry.plan)));
        for (const failure of result.failed) parts.err(`${failure.unit}: not applied: ${failure.reason}\n`);
      }
      return result.failed.length === 0 ? 0 : 1;
    } finally {
      await northbound.close();
    }
  },
};
