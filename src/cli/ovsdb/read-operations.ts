import { type Result, fail, ok } from '../../lib/result.ts';
import { parseJson } from '../../ovsdb/index.ts';
import { shown } from './check-value.ts';

/** A transaction as somebody wrote it; nothing of it is checked yet. */
export interface WrittenOperations {
  /** Named when the text begins with it, as the parameters of RFC 7047 4.1.3 do. */
  readonly database: string | undefined;
  readonly operations: readonly unknown[];
}

/** Reads `[OPERATION, ...]`, `["DATABASE", OPERATION, ...]` or one OPERATION. The error says what is wrong, and where. */
export function readOperations(text: string, origin: string): Result<WrittenOperations, string> {
  let json: unknown;
  try {
    json = parseJson(text);
  } catch (error) {
    if (text.trim() === '') return fail(`${origin} is empty: it must hold an array of operations`);
    return fail(`${origin} is not JSON: ${whereItBreaks(text, error as Error)}`);
  }
  if (typeof json === 'object' && json !== null && !Array.isArray(json))
    return ok({ database: undefined, operations: [json] });
  if (!Array.isArray(json)) return fail(`${origin} holds ${shown(json)}, not an array of operations`);
  const [first, ...others] = json as readonly unknown[];
  const named = typeof first === 'string';
  const operations = named ? others : (json as readonly unknown[]);
  if (operations.length === 0) return fail(`${origin} holds no operations`);
  return ok({ database: named ? first : undefined, operations });
}

/** Whether a word of the command line is operations, not a name. */
export function isOperations(word: string): boolean {
  return /^\s*[[{]/.test(word);
}

/** The message of the engine with a line and a column in place of an offset. */
function whereItBreaks(text: string, { message }: Error): string {
  const offset = /at position (\d+)/.exec(message)?.[1];
  if (offset === undefined) return message;
  const before = text.slice(0, Number(offset)).split('\n');
  const place = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
  return `${message.slice(0, message.indexOf(' in JSON at position'))} at ${place}`;
}
