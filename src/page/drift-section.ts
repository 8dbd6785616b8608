import type { DriftRecord } from '../model/status.ts';
import { clip, html, type Html } from './html.ts';
import { outcomeMark, unitMark } from './marks.ts';
import { moment, span } from './moment.ts';
import { table } from './table.ts';

/** Lines of one record on the page; all of them are in /drift.json. */
const LINES_SHOWN = 10;
const LONGEST_LINE = 600;

/** What was changed behind our back, and what became of it. */
export function driftSection(drift: readonly DriftRecord[]): Html {
  if (drift.length === 0) {
    return html`<section aria-labelledby="drift">
      <h2 id="drift">Drift</h2>
      <p>No change by anybody else was seen.</p>
    </section>`;
  }
  return html`<section aria-labelledby="drift">
    <h2 id="drift">Drift</h2>
    <p>
      Changes by others, from what was found to what Git says: + a row that was missing, − a row too many, ~ a
      value.
    </p>
    ${table('Drift', COLUMNS, drift.map(row))}
  </section>`;
}

const COLUMNS: readonly string[] = ['Seen', 'Unit', 'Outcome', 'Repaired after', 'Found → wanted'];

function row(record: DriftRecord): readonly Html[] {
  const { seenAt, correctedAt } = record;
  return [
    moment(seenAt),
    unitMark(record.unit),
    outcomeMark(record.outcome),
    html`${correctedAt === undefined ? 'left as it is' : span(Math.max(0, correctedAt - seenAt))}`,
    changes(record.changes),
  ];
}

function changes(lines: readonly string[]): Html {
  const shown = lines.slice(0, LINES_SHOWN).map(
    (line) =>
      html`<li>
        <code><bdi>${clip(line, LONGEST_LINE)}</bdi></code>
      </li>`,
  );
  const more = lines.length - LINES_SHOWN;
  return html`<ul role="list">
      ${shown}
    </ul>
    ${more > 0 ? html`<p>${more} more in <a href="/drift.json">drift.json</a></p>` : undefined}`;
}
