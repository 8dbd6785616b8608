import type { SourceStatus, StatusOverview } from '../model/status.ts';
import { clip, html, type Html } from './html.ts';
import { commitMark, conditionMark } from './marks.ts';
import { moment, span } from './moment.ts';

/** Diagnostics longer than this are cut; `ovn-gitops validate` prints all of them. */
const LONGEST_DIAGNOSTICS = 32_000;
const LONGEST_MESSAGE = 2_000;

/** Which commit the network serves, which one Git is at, and why they differ. */
export function sourceSection({ source, history, readAt }: StatusOverview): Html {
  if (source === undefined) {
    return html`<section aria-labelledby="source">
      <h2 id="source">Revision in force</h2>
      <p class="lead">The repository has not been looked at yet.</p>
    </section>`;
  }
  return html`<section aria-labelledby="source">
    <h2 id="source">Revision in force</h2>
    <p class="lead">${headline(source)}</p>
    <p>
      ${conditionMark(source.condition)}
      <bdi>${clip(`${source.reason}: ${source.message}`, LONGEST_MESSAGE)}</bdi>
    </p>
    <dl>
      <div>
        <dt>Repository</dt>
        <dd><bdi>${clip(source.url, LONGEST_MESSAGE)}</bdi></dd>
      </div>
      <div>
        <dt>Last complete fetch</dt>
        <dd>${fetched(source, readAt)}</dd>
      </div>
      <div>
        <dt>Accepted</dt>
        <dd>${accepted(source, history)}</dd>
      </div>
    </dl>
    ${diagnostics(source)}
  </section>`;
}

function headline({ serving, seen, reason }: SourceStatus): Html {
  if (serving === undefined) {
    return seen === undefined
      ? html`Nothing is in force yet.`
      : html`Nothing is in force yet. Git is at ${commitMark(seen)}.`;
  }
  const inForce = html`The network serves revision ${serving.sequence}, commit ${commitMark(serving.commit)}`;
  if (seen === undefined) return html`${inForce}.`;
  if (seen === serving.commit) return html`${inForce}, and so does Git.`;
  const why = reason === 'Invalid' ? 'is not valid' : 'is not in force';
  return html`${inForce}. Git is at ${commitMark(seen)}, which ${why}.`;
}

function fetched({ fetchedAt }: SourceStatus, readAt: number): Html {
  if (fetchedAt === undefined) return html`none yet`;
  return html`${moment(fetchedAt)} (${span(Math.max(0, readAt - fetchedAt))} before this page)`;
}

function accepted({ serving }: SourceStatus, history: StatusOverview['history']): Html {
  const revision = history.find((one) => one.sequence === serving?.sequence);
  if (revision === undefined) return html`–`;
  return html`${moment(revision.acceptedAt)}, by <bdi>${clip(revision.author, 100)}</bdi>:
    <bdi>${clip(revision.subject, 200)}</bdi>`;
}

function diagnostics({ diagnostics: text }: SourceStatus): Html | undefined {
  if (text === '') return undefined;
  return html`<h3 id="diagnostics">What is wrong with the commit Git is at</h3>
    <pre tabindex="0" role="region" aria-labelledby="diagnostics">
${clip(text.trimEnd(), LONGEST_DIAGNOSTICS)}</pre> `;
}
