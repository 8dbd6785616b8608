import type { UnitName } from '../model/nb.ts';
import type { Condition, DriftRecord } from '../model/status.ts';
import { clip, html, type Html } from './html.ts';

/** A condition as a word with a colour and a sign of its own: nobody has to tell colours apart. */
export function conditionMark(condition: Condition): Html {
  return mark(condition, CONDITIONS[condition]);
}

/** What became of a drift, in the same way. */
export function outcomeMark(outcome: DriftRecord['outcome']): Html {
  return mark(outcome, OUTCOMES[outcome]);
}

/** The name of a unit. */
export function unitMark(unit: UnitName): Html {
  return html`<bdi class="unit">${clip(unit, 200)}</bdi>`;
}

/** A commit id: the first twelve characters, all of them on hovering. */
export function commitMark(commit: string): Html {
  return html`<code class="commit" title="${clip(commit, 100)}"
    >${commit.slice(0, commit.startsWith('tree:') ? 17 : 12)}</code
  >`;
}

type Tone = 'good' | 'busy' | 'bad';

const SIGNS: Readonly<Record<Tone, string>> = { good: '✓', busy: '◌', bad: '!' };

const CONDITIONS: Readonly<Record<Condition, Tone>> = {
  Ready: 'good',
  Reconciling: 'busy',
  Stalled: 'bad',
};

const OUTCOMES: Readonly<Record<DriftRecord['outcome'], Tone>> = {
  corrected: 'good',
  reported: 'busy',
  contested: 'bad',
};

function mark(word: string, tone: Tone): Html {
  return html`<span class="mark ${tone}"><span aria-hidden="true">${SIGNS[tone]}</span> ${word}</span>`;
}
