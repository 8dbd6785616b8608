import type { RevisionRecord } from '../model/status.ts';
import { writtenAt } from '../model/written-at.ts';
import { clip, html, type Html } from './html.ts';
import { commitMark } from './marks.ts';
import { moment, span } from './moment.ts';
import { table } from './table.ts';

/** The revisions that were accepted, what each changed, and how long it took. */
export function historySection(history: readonly RevisionRecord[]): Html {
  return html`<section aria-labelledby="history">
    <h2 id="history">History</h2>
    ${history.length === 0 ? html`<p>No revision was accepted yet.</p>` : table('History', COLUMNS, history.map(row))}
  </section>`;
}

const COLUMNS: readonly string[] = ['Revision', 'Accepted', 'Rows', 'Units', 'Written after', 'Change'];

function row(revision: RevisionRecord): readonly Html[] {
  const receipts = revision.receipts.filter((receipt) => receipt.cause === 'revision');
  const sum = (field: 'created' | 'updated' | 'deleted'): number =>
    receipts.reduce((total, receipt) => total + receipt[field], 0);
  return [
    html`${revision.sequence} ${commitMark(revision.commit)}`,
    moment(revision.acceptedAt),
    rows(sum('created'), sum('updated'), sum('deleted')),
    html`${new Set(receipts.map((receipt) => receipt.unit)).size}`,
    html`${writtenAfter(revision)}`,
    html`<bdi>${clip(revision.subject, 200)}</bdi> <small><bdi>${clip(revision.author, 100)}</bdi></small>`,
  ];
}

/** Signs for the eye, words for the ear. */
function rows(created: number, updated: number, deleted: number): Html {
  return html`<span
    class="rows"
    role="img"
    aria-label="${created} created, ${updated} updated, ${deleted} deleted"
    >+${created} ~${updated} −${deleted}</span
  >`;
}

/** From acceptance to the first transaction of the last unit; nothing to write is nothing to wait for. */
function writtenAfter(revision: RevisionRecord): string {
  const at = writtenAt(revision);
  return at === undefined ? 'nothing written' : span(Math.max(0, at - revision.acceptedAt));
}
