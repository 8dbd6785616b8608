import type { Problem } from './problem.ts';
import { resolveScalar } from './scalar.ts';
import type { YamlEntry, YamlNode } from './yaml-node.ts';

/** Names that JavaScript objects have a meaning for. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Pairs up the children of a mapping. A key that is unusable is left out; of a repeated key the first counts. Sound is
 * false when an entry was left out that may have said anything.
 */
export function buildMapping(
  children: readonly YamlNode[],
  problems: Problem[],
): { readonly entries: readonly YamlEntry[]; readonly sound: boolean } {
  const entries = new Map<string, YamlEntry>();
  let sound = true;
  for (let index = 0; index + 1 < children.length; index += 2) {
    const [key, value] = [children[index], children[index + 1]];
    if (key === undefined || value === undefined) continue;
    const problem = keyProblem(key);
    if (problem !== undefined) problems.push(problem);
    if (key.kind !== 'scalar' || problem?.code === 'YAM104' || problem?.code === 'YAM108') {
      sound = false;
      continue;
    }
    const first = entries.get(key.text);
    if (first === undefined) entries.set(key.text, { key: key.text, keySpan: key, value });
    else problems.push(repeated(first, key));
  }
  return { entries: [...entries.values()], sound };
}

function keyProblem(key: YamlNode): Problem | undefined {
  const span = { start: key.start, end: key.end };
  if (key.kind !== 'scalar') {
    return { code: 'YAM103', message: `a key is a ${key.kind}`, hint: 'Keys are strings.', span };
  }
  if (key.plain && key.text === '<<') {
    const hint = 'Merge keys are not part of YAML 1.2; write the fields out.';
    return { code: 'YAM104', message: 'a merge key (<<) is used', hint, span };
  }
  if (FORBIDDEN.has(key.text)) {
    return {
      code: 'YAM108',
      message: `the key "${key.text}" is not allowed`,
      hint: 'Choose another name.',
      span,
    };
  }
  const { type } = resolveScalar(key);
  if (type === 'string') return undefined;
  const noun = type === 'integer' || type === 'float' ? 'number' : type;
  const message = key.text === '' ? 'a key is empty' : `the key ${key.text} is a ${noun}, not a string`;
  return { code: 'YAM103', message, hint: `Quote it: "${key.text}".`, span };
}

function repeated(first: YamlEntry, key: YamlNode): Problem {
  return {
    code: 'YAM102',
    message: `the key "${first.key}" is written twice`,
    hint: 'Keep one of them.',
    span: { start: key.start, end: key.end },
    related: [{ span: first.keySpan, message: `"${first.key}" is here first` }],
  };
}
