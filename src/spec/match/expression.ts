import type { Constant } from './constant.ts';
import type { MatchField } from './fields.ts';
import type { Token } from './tokens.ts';

/** A field, or some of its bits. */
export interface Operand {
  readonly field: MatchField;
  readonly width: number;
}

/** A parsed expression. What was below a `!` is there as its opposite, as OVN itself keeps it. */
export type MatchExpression =
  | { readonly kind: 'and' | 'or'; readonly operands: readonly MatchExpression[] }
  | {
      readonly kind: 'comparison';
      readonly operand: Operand;
      readonly relation: Relation;
      readonly constants: readonly Constant[];
      /** Of the constants, in the same order; none for what a predicate stands for. */
      readonly tokens: readonly Token[];
    }
  /** What depends on more than the packet, and `0` and `1`. */
  | { readonly kind: 'other' };

export type Relation = '==' | '!=' | '<' | '<=' | '>' | '>=';

const NEGATED: Readonly<Record<Relation, Relation>> = {
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
};
const TURNED: Readonly<Record<Relation, Relation>> = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

/** The relation that holds exactly when this one does not. */
export function negated(relation: Relation): Relation {
  return NEGATED[relation];
}

/** The relation with its sides exchanged. */
export function turned(relation: Relation): Relation {
  return TURNED[relation];
}

/** True for the operators that compare. */
export function isRelation(text: string): text is Relation {
  return Object.hasOwn(NEGATED, text);
}
