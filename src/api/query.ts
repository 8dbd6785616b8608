import { fail, ok, type Result } from '../lib/result.ts';
import { type Answer, refusal } from './answer.ts';

/** What was asked for: the path, and its parameters by name. */
export interface Target {
  readonly path: string;
  readonly query: ReadonlyMap<string, string>;
}

/** Longer request targets are refused. */
const LONGEST_TARGET = 1_000;
/** Entries of a list in one answer. */
const MOST_ENTRIES = 200;
const USUAL_ENTRIES = 20;

/** Reads a request target (RFC 9112 3.2.1); a parameter stands once. */
export function readTarget(text: string): Result<Target, Answer> {
  if (text.length > LONGEST_TARGET) {
    return fail(refusal(414, 'the address is too long', `ask for at most ${LONGEST_TARGET} characters`));
  }
  if (!text.startsWith('/')) {
    return fail(refusal(400, 'the request target is no path', 'ask for a path, e.g. GET /status.json'));
  }
  const [path = '', ...rest] = text.split('?');
  const entries = [...new URLSearchParams(rest.join('?'))];
  const query = new Map(entries);
  if (query.size < entries.length) {
    return fail(refusal(400, 'a parameter stands more than once', 'give each parameter once'));
  }
  return ok({ path, query });
}

/** Refuses parameters that a path does not have: a misspelt one must not look as if it worked. */
export function unknownParameter(query: Target['query'], known: readonly string[]): Answer | undefined {
  if ([...query.keys()].every((name) => known.includes(name))) return undefined;
  const hint = known.length === 0 ? 'leave the parameters out' : `known here: ${known.join(', ')}`;
  return refusal(400, 'unknown parameter', hint);
}

/** Reads `limit`: how many entries of a list to answer with, the newest first. */
export function readLimit(query: Target['query']): Result<number, Answer> {
  const text = query.get('limit') ?? String(USUAL_ENTRIES);
  if (/^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= MOST_ENTRIES) return ok(Number(text));
  return fail(refusal(400, 'limit is no number that is possible', `give a number from 1 to ${MOST_ENTRIES}`));
}
