import { compareText } from '../lib/order.ts';
import type { Condition, Convergence, UnitStatus } from '../model/status.ts';
import { clip, html, type Html } from './html.ts';
import { commitMark, conditionMark, unitMark } from './marks.ts';
import { moment } from './moment.ts';
import { table } from './table.ts';

/** Rows on the page, those first that need a person; all of them are in /status.json. */
const SHOWN = 300;
const BEHIND_SHOWN = 5;
const LONGEST_MESSAGE = 500;

const ORDER: readonly Condition[] = ['Stalled', 'Reconciling', 'Ready'];

/** How far each unit has got. */
export function unitsSection(units: readonly UnitStatus[]): Html {
  const sorted = units.toSorted(
    (a, b) => ORDER.indexOf(a.condition) - ORDER.indexOf(b.condition) || compareText(a.unit, b.unit),
  );
  return html`<section aria-labelledby="units">
    <h2 id="units">Units</h2>
    <p>${summary(units)}</p>
    ${units.length === 0 ? undefined : table('Units', COLUMNS, sorted.slice(0, SHOWN).map(row))}
    ${rest(units.length)}
  </section>`;
}

const COLUMNS: readonly string[] = ['Unit', 'Condition', 'Revision', 'Proof', 'Since', 'Message'];

function row(unit: UnitStatus): readonly Html[] {
  return [
    unitMark(unit.unit),
    html`${conditionMark(unit.condition)} <small>${clip(unit.reason, 100)}</small>`,
    html`${unit.sequence} ${commitMark(unit.commit)}`,
    proof(unit.convergence),
    moment(unit.at),
    html`<bdi>${clip(unit.message, LONGEST_MESSAGE)}</bdi>`,
  ];
}

/** What is proven: written, translated by northd, installed by chassis. */
function proof(convergence: Convergence | undefined): Html {
  if (convergence === undefined) return html`–`;
  if (convergence.translatedAt === undefined) return html`committed, not translated yet`;
  const { chassis } = convergence;
  if (chassis === undefined) return html`translated; chassis not watched`;
  if (chassis.total === 0) return html`translated; no chassis`;
  const count = html`translated; ${chassis.caughtUp}/${chassis.total} chassis`;
  if (chassis.behind.length === 0) return count;
  const names = clip(chassis.behind.slice(0, BEHIND_SHOWN).join(', '), 300);
  const more = chassis.behind.length - BEHIND_SHOWN;
  return html`${count} <small>behind: <bdi>${names}</bdi>${more > 0 ? ` and ${more} more` : ''}</small>`;
}

function summary(units: readonly UnitStatus[]): string {
  if (units.length === 0) return 'No unit was written yet.';
  const counts = ORDER.map((condition) => {
    const count = units.filter((unit) => unit.condition === condition).length;
    return count === 0 ? [] : [`${count} ${condition}`];
  });
  return `${units.length} ${units.length === 1 ? 'unit' : 'units'}: ${counts.flat().join(', ')}.`;
}

function rest(count: number): Html | undefined {
  if (count <= SHOWN) return undefined;
  return html`<p>${count - SHOWN} more are in <a href="/status.json">status.json</a>.</p>`;
}
