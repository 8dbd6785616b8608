import { printDiagnostics, printDiagnosticsJson } from '../../spec/print.ts';
import type { Command } from '../command.ts';
import { FORMAT_OPTION } from '../command.ts';
import { desiredFromPath } from '../desired-from-path.ts';
import { printFault } from '../fault.ts';

/** `ovn-gitops validate PATH` */
export const VALIDATE: Command = {
  name: 'validate',
  summary: 'Check a spec repository and report everything that is wrong with it.',
  positionals: ['PATH'],
  options: {
    head: { placeholder: 'REV', description: 'check a commit instead of the files as they lie there' },
    format: FORMAT_OPTION,
  },
  exitCodes: ['0  valid (warnings are printed)', '1  errors'],
  async run(input, parts) {
    const format = input.required('format');
    const result = await desiredFromPath(parts, input.positionals[0] ?? '.', input.text('head'));
    if (!result.ok) {
      printFault(parts, result.error, format);
      return 1;
    }
    const { warnings, desired } = result.value;
    if (format === 'json') {
      parts.out(printDiagnosticsJson(warnings));
      return 0;
    }
    if (warnings.length > 0) parts.err(printDiagnostics(warnings));
    parts.out(`valid: ${desired.units.length} units, ${desired.state.rows.size} Northbound rows\n`);
    return 0;
  },
};
