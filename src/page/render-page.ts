import type { StatusOverview } from '../model/status.ts';
import { driftSection } from './drift-section.ts';
import { historySection } from './history-section.ts';
import { html, type Html } from './html.ts';
import { moment } from './moment.ts';
import { sourceSection } from './source-section.ts';
import { STYLE } from './style.ts';
import { unitsSection } from './units-section.ts';

/** Whether the page loads itself again, and after how many seconds; undefined: not at all. */
export interface PageOptions {
  readonly refreshSeconds: number | undefined;
}

/** The page of an installation as one HTML document: nothing to load, no script, every text escaped. */
export function renderPage(overview: StatusOverview, options: PageOptions): string {
  const { owner, units, history, drift, readAt } = overview;
  return document(
    owner,
    options,
    html`${sourceSection(overview)} ${unitsSection(units)} ${historySection(history)} ${driftSection(drift)}`,
    html`<p>As of ${moment(readAt)}. ${refreshLink(options)}</p>
      <p>
        For programs: <a href="/status.json">status.json</a>, <a href="/history.json">history.json</a>,
        <a href="/drift.json">drift.json</a>, <a href="/metrics">metrics</a>
      </p>`,
  );
}

/** The page when the status can't be read: it says why, and what that means for the network. */
export function renderUnavailable(owner: string, reason: string, options: PageOptions): string {
  return document(
    owner,
    options,
    html`<section aria-labelledby="away">
      <h2 id="away">The status can’t be read</h2>
      <p class="lead">${reason}</p>
      <p>The network keeps what it has: the revision in force is recorded in the Northbound itself.</p>
    </section>`,
    html`<p>${refreshLink(options)}</p>`,
  );
}

/** Byte for byte what the hash in the Content-Security-Policy is of. */
const STYLE_ELEMENT: Html = { markup: `<style>${STYLE}</style>` };

function document(owner: string, { refreshSeconds }: PageOptions, main: Html, footer: Html): string {
  const refresh =
    refreshSeconds === undefined
      ? undefined
      : html`<meta http-equiv="refresh" content="${refreshSeconds}" /> `;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${refresh}
        <title>${owner} · ovn-gitops</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <header>
          <h1>
            ovn-gitops <small><bdi>${owner}</bdi></small>
          </h1>
        </header>
        <main>${main}</main>
        <footer>${footer}</footer>
      </body>
    </html> `.markup;
}

/** Who reads with a screen reader or a magnifier can stop the page from moving (WCAG 2.2.2). */
function refreshLink({ refreshSeconds }: PageOptions): Html {
  return refreshSeconds === undefined
    ? html`The page stands still. <a href="/">Keep it up to date</a>`
    : html`The page is loaded again every ${refreshSeconds} s. <a href="/?refresh=off">Hold it still</a>`;
}
