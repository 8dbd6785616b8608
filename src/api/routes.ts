import { type Answer, jsonAnswer, refusal } from './answer.ts';
import type { ApiParts } from './api-parts.ts';
import { metricText } from './metric-text.ts';
import { collectMetrics } from './metrics.ts';
import { readLimit, type Target, unknownParameter } from './query.ts';
import { readiness } from './readiness.ts';

/** A path that can be asked for. */
interface Route {
  readonly parameters: readonly string[];
  answer(parts: ApiParts, query: Target['query']): Answer | Promise<Answer>;
}

/** Entries of history and drift on the page. */
const PAGE_ENTRIES = 20;
/** How often the page loads itself again: at rest, and while something is under way. */
const REFRESH_SECONDS = { atRest: 15, busy: 3 };

const ROUTES: ReadonlyMap<string, Route> = new Map([
  ['/', { parameters: ['refresh'], answer: page }],
  ['/status.json', { parameters: [], answer: status }],
  ['/history.json', { parameters: ['limit'], answer: history }],
  ['/drift.json', { parameters: ['limit'], answer: drift }],
  ['/metrics', { parameters: [], answer: metrics }],
  ['/healthz', { parameters: [], answer: () => jsonAnswer({ alive: true }) }],
  ['/readyz', { parameters: [], answer: ready }],
]);

/** Answers a request for a path: what is there, or what is wrong and what to do. */
export async function answerTarget(parts: ApiParts, target: Target): Promise<Answer> {
  const route = ROUTES.get(target.path);
  if (route === undefined) {
    return refusal(404, 'nothing is here', `there are: ${[...ROUTES.keys()].join(', ')}`);
  }
  const unknown = unknownParameter(target.query, route.parameters);
  return unknown ?? route.answer(parts, target.query);
}

async function page(parts: ApiParts, query: Target['query']): Promise<Answer> {
  const choice = query.get('refresh');
  if (choice !== undefined && choice !== 'off') {
    return refusal(400, 'refresh has no such value', 'give refresh=off, or leave it out');
  }
  const refreshSeconds = (isBusy: boolean): number | undefined =>
    choice === 'off' ? undefined : isBusy ? REFRESH_SECONDS.busy : REFRESH_SECONDS.atRest;
  const { store, owner, clock } = parts;
  const read = await attempt(parts, () =>
    Promise.all([store.source(), store.units(), store.history(PAGE_ENTRIES), store.drift(PAGE_ENTRIES)]),
  );
  if (read === undefined) {
    const options = { refreshSeconds: refreshSeconds(true) };
    return document(parts.page.renderUnavailable(owner, `${AWAY.error}; ${AWAY.hint}.`, options), 503);
  }
  const [source, units, revisions, records] = read;
  const isBusy = [source, ...units].some((one) => one?.condition === 'Reconciling');
  const overview = { owner, source, units, history: revisions, drift: records, readAt: clock() };
  return document(parts.page.render(overview, { refreshSeconds: refreshSeconds(isBusy) }), 200);
}

async function status(parts: ApiParts): Promise<Answer> {
  const { store } = parts;
  return answerRead(parts, async () => {
    const [source, units] = await Promise.all([store.source(), store.units()]);
    return { source: source ?? null, units };
  });
}

async function history(parts: ApiParts, query: Target['query']): Promise<Answer> {
  const limit = readLimit(query);
  return limit.ok ? answerRead(parts, () => parts.store.history(limit.value)) : limit.error;
}

async function drift(parts: ApiParts, query: Target['query']): Promise<Answer> {
  const limit = readLimit(query);
  return limit.ok ? answerRead(parts, () => parts.store.drift(limit.value)) : limit.error;
}

async function metrics(parts: ApiParts): Promise<Answer> {
  const body = metricText(await collectMetrics(parts));
  return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body };
}

function ready(parts: ApiParts): Answer {
  const found = readiness(parts);
  return jsonAnswer(found, found.ready ? 200 : 503);
}

const AWAY = {
  error: 'the status store (Redis) does not answer',
  hint: 'see the log for the reason, and ask again',
} as const;

async function answerRead(parts: ApiParts, read: () => Promise<unknown>): Promise<Answer> {
  const found = await attempt(parts, read);
  return found === undefined ? refusal(503, AWAY.error, AWAY.hint) : jsonAnswer(found);
}

/** Reads from the store; undefined while it is away. The reason names addresses, so it goes to the log only. */
async function attempt<T>(parts: ApiParts, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    parts.log('status not read', { error: String(error) });
    return undefined;
  }
}

function document(body: string, code: number): Answer {
  return { status: code, type: 'text/html; charset=utf-8', body };
}
