import type { DriftRecord } from '../../model/status.ts';
import type { Command } from '../command.ts';
import { FORMAT_OPTION } from '../command.ts';
import { LIMIT_OPTION, readLimit } from '../limit-option.ts';
import { printTime } from '../print-table.ts';
import { STORE_OPTIONS, withStore } from '../store-options.ts';

/** `ovn-gitops drift` */
export const DRIFT: Command = {
  name: 'drift',
  summary: 'Show what was changed behind our back, and what became of it.',
  positionals: [],
  options: { ...STORE_OPTIONS, limit: LIMIT_OPTION, format: FORMAT_OPTION },
  exitCodes: ['0  printed', '1  an error'],
  run: (input, parts) =>
    withStore(input, parts, async (store) => {
      const records = await store.drift(readLimit(input));
      parts.out(
        input.required('format') === 'json'
          ? `${JSON.stringify(records, undefined, 2)}\n`
          : printDrift(records),
      );
      return 0;
    }),
};

function printDrift(records: readonly DriftRecord[]): string {
  if (records.length === 0) return 'no drift was seen\n';
  const lines = records.flatMap((record) => {
    const took = record.correctedAt === undefined ? '' : ` after ${record.correctedAt - record.seenAt} ms`;
    return [
      `${printTime(record.seenAt)}  ${record.unit}  ${record.outcome}${took}`,
      ...record.changes.map((line) => `    ${line}`),
    ];
  });
  return `${lines.join('\n')}\n`;
}
