import type { MatchProblem } from './match-problem.ts';

/** A word of an expression; the end has a token of its own. */
export interface Token {
  readonly kind: 'name' | 'number' | 'string' | 'set' | 'group' | 'operator' | 'end';
  readonly text: string;
  readonly offset: number;
}

const PATTERNS: readonly (readonly [Token['kind'] | 'blank', RegExp])[] = [
  ['blank', /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y],
  // Addresses before names: `fd00::1` starts like a name.
  [
    'number',
    /(?:[0-9a-fA-F]*(?::[0-9a-fA-F]*)+(?:\.[0-9]+)*|0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)*)(?:\/[0-9a-fA-Fx:.]*[0-9a-fA-F:])?/y,
  ],
  ['name', /[A-Za-z_][A-Za-z0-9_.]*/y],
  ['set', /\$[A-Za-z_.][A-Za-z0-9_.]*/y],
  ['group', /@[A-Za-z_.][A-Za-z0-9_.]*/y],
  ['string', /"(?:[^"\\]|\\.)*"/y],
  ['operator', /&&|\|\||==|!=|<=|>=|\.\.|[<>!(){}[\],]/y],
];

/** Cuts an expression into tokens, or says which character begins none. */
export function tokenize(text: string): readonly Token[] | MatchProblem {
  const tokens: Token[] = [];
  for (let offset = 0; offset < text.length;) {
    const found = tokenAt(text, offset);
    if (found === undefined) return { offset, length: 1, message: explain(text.slice(offset)) };
    if (found.kind !== 'blank') tokens.push({ ...found, kind: found.kind, offset });
    offset += found.text.length;
  }
  return [...tokens, { kind: 'end', text: '', offset: text.length }];
}

function tokenAt(
  text: string,
  offset: number,
): { readonly kind: Token['kind'] | 'blank'; readonly text: string } | undefined {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = offset;
    const match = pattern.exec(text)?.[0];
    if (match !== undefined) return { kind, text: match };
  }
  return undefined;
}

function explain(rest: string): string {
  const [character = ''] = rest;
  if (character === '"') return 'the text has no closing quote';
  if (rest.startsWith('/*')) return 'the comment has no end';
  if (character === '&' || character === '|')
    return `"${character}" alone means nothing; write ${character}${character}`;
  if (character === '=') return '"=" alone means nothing; write ==';
  if (character === '$' || character === '@')
    return `"${character}" must be followed by a name: letters, digits, "_" and "."`;
  return `"${character}" has no meaning here`;
}
