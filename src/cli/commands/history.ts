import type { RevisionRecord } from '../../model/status.ts';
import type { Command } from '../command.ts';
import { FORMAT_OPTION } from '../command.ts';
import { LIMIT_OPTION, readLimit } from '../limit-option.ts';
import { printTable, printTime } from '../print-table.ts';
import { STORE_OPTIONS, withStore } from '../store-options.ts';

/** `ovn-gitops history` */
export const HISTORY: Command = {
  name: 'history',
  summary: 'Show the revisions that were accepted, what each changed, and how long it took.',
  positionals: [],
  options: { ...STORE_OPTIONS, limit: LIMIT_OPTION, format: FORMAT_OPTION },
  exitCodes: ['0  printed', '1  an error'],
  run: (input, parts) =>
    withStore(input, parts, async (store) => {
      const revisions = await store.history(readLimit(input));
      parts.out(
        input.required('format') === 'json'
          ? `${JSON.stringify(revisions, undefined, 2)}\n`
          : printHistory(revisions),
      );
      return 0;
    }),
};

function printHistory(revisions: readonly RevisionRecord[]): string {
  const rows = revisions.map((revision) => {
    // What was put right meanwhile is drift, and is listed there.
    const own = revision.receipts.filter((receipt) => receipt.cause === 'revision');
    const sum = (field: 'created' | 'updated' | 'deleted' | 'tookMs'): number =>
      own.reduce((total, receipt) => total + receipt[field], 0);
    return [
      String(revision.sequence),
      revision.commit.slice(0, 12),
      printTime(revision.acceptedAt),
      `+${sum('created')} ~${sum('updated')} -${sum('deleted')}`,
      String(new Set(own.map((receipt) => receipt.unit)).size),
      `${sum('tookMs')} ms`,
      revision.author,
      revision.subject,
    ];
  });
  return `${printTable(['REVISION', 'COMMIT', 'ACCEPTED', 'ROWS', 'UNITS', 'WRITING', 'AUTHOR', 'SUBJECT'], rows)}\n`;
}
