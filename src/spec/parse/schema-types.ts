import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Problem } from './problem.ts';
import type { Location } from './schema-location.ts';

/** A value of the wrong type; says what YAML made of it, since that is mostly the surprise. */
export function typeProblem(error: ErrorObject, { field, node, span }: Location): Problem {
  const wanted = [error.params['type'] as string | readonly string[]]
    .flat()
    .filter((type) => type !== 'null');
  const text = node?.kind === 'scalar' ? node.text : '';
  const problem = (message: string, hint: string): Problem => ({
    code: 'SCH204',
    message,
    hint,
    span,
    field,
  });
  if (error.data === null) {
    const message = text === '' ? 'the field has no value' : `${text} means that the field has no value`;
    return problem(
      message,
      wanted.includes('string') && text !== ''
        ? `Quote it: "${text}".`
        : 'Write a value or remove the field.',
    );
  }
  const found = typeOf(error.data);
  const message = `must be ${wanted.map(nounOf).join(' or ')}, but ${describe(text, found)}`;
  return problem(message, hintFor(wanted, text, found));
}

function hintFor(wanted: readonly string[], text: string, found: string): string {
  if (wanted.includes('string') && !wanted.includes('integer') && text !== '') return `Quote it: "${text}".`;
  if (wanted.includes('boolean') && /^(?:y|yes|on|n|no|off)$/i.test(text)) {
    return `Write ${/^(?:y|yes|on)$/i.test(text) ? 'true' : 'false'}: YAML 1.2 has no other words for it.`;
  }
  if (wanted.includes('integer') && /^[-+]?[0-9]+$/.test(text)) return 'Write it without quotes.';
  if (wanted.includes('array') && found === 'string')
    return text.includes(',') ? 'Write a list: one "- " line for each.' : `Write a list: [${text}].`;
  return `Write ${wanted.map(nounOf).join(' or ')}.`;
}

function describe(text: string, found: string): string {
  const noun = found === 'boolean' ? 'a boolean' : nounOf(found);
  return text === '' ? `this is ${noun}` : `${text} is ${noun}`;
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'object' ? 'object' : typeof value;
}

function nounOf(type: string): string {
  const nouns: Readonly<Record<string, string>> = {
    string: 'a string',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
    array: 'a list',
    object: 'a mapping',
  };
  return nouns[type] ?? `a ${type}`;
}
