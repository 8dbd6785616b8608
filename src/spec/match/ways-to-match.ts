import {
  intersectIntervals,
  mergeIntervals,
  subtractIntervals,
  type IntervalSet,
} from '../../lib/interval.ts';
import type { Constant } from './constant.ts';
import type { MatchExpression, Operand, Relation } from './expression.ts';
import { prerequisitesOf } from './prerequisites.ts';

/** What one way to match demands of fields; of fields that are absent, nothing. */
export type Demands = ReadonlyMap<string, Values>;
/** Numbers that a field may have, or texts as they are written. */
export type Values = IntervalSet | ReadonlySet<string>;

/** Every way to match an expression. A packet that the expression matches meets all demands of one of them. */
export type WaysToMatch = readonly Demands[];

/** An expression with more ways to match than this counts as one that demands nothing. */
const MAX_WAYS = 64;
const ANYTHING: WaysToMatch = [new Map()];
/** Stands for what an expression demands that is not followed up: no field has the name. */
const MORE: readonly [field: string, values: Values] = ['', new Set([''])];
const UNKNOWN: WaysToMatch = [new Map([MORE])];

/**
 * True when no packet can match both, as far as fields tell: every way to match the one demands a value of some field
 * that every way to match the other rules out. False when that cannot be shown.
 */
export function areDisjoint(a: WaysToMatch, b: WaysToMatch): boolean {
  return a.every((way) => b.every((other) => exclude(way, other)));
}

/** True when the expression matches all of these packets, as far as one way to match it tells. */
export function covers(ways: WaysToMatch, packets: Demands): boolean {
  return ways.some((way) =>
    [...way].every(([field, values]) => {
      const present = packets.get(field);
      return present !== undefined && isPart(present, values);
    }),
  );
}

/** The disjunctive form of an expression. Where it says too much, some is left out: it then admits more. */
export function waysToMatch(expression: MatchExpression): WaysToMatch {
  if (expression.kind === 'other') return UNKNOWN;
  if (expression.kind === 'comparison') return [demandsOf(expression)];
  const parts = expression.operands.map(waysToMatch);
  const ways =
    expression.kind === 'or'
      ? parts.flat()
      : parts.reduce(
          (all, part) => product(all, all.length * part.length > MAX_WAYS ? UNKNOWN : part),
          ANYTHING,
        );
  return ways.length > MAX_WAYS ? UNKNOWN : ways;
}

/** Both at once, in every combination. */
function product(some: WaysToMatch, others: WaysToMatch): WaysToMatch {
  return some.flatMap((one) =>
    others.map((other) => {
      const both = new Map(one);
      for (const [field, values] of other) {
        const present = both.get(field);
        both.set(field, present === undefined ? values : common(present, values));
      }
      return both;
    }),
  );
}

function exclude(one: Demands, other: Demands): boolean {
  const isImpossible = (way: Demands): boolean => [...way.values()].some(isEmpty);
  if (isImpossible(one) || isImpossible(other)) return true;
  return [...one].some(([field, values]) => {
    const others = other.get(field);
    return others !== undefined && isEmpty(common(values, others));
  });
}

/** A comparison demands also that the packet has the field at all, even when it says what the field is not. */
function demandsOf({
  operand,
  relation,
  constants,
}: Extract<MatchExpression, { readonly kind: 'comparison' }>): Demands {
  const { field } = operand;
  // A predicate that must not hold may also fail for what it presupposes.
  if (field.predicate && !isPositive(relation, constants)) return new Map([MORE]);
  const demands = new Map<string, Values>(prerequisitesOf(field.name));
  const values = valuesOf(operand, relation, constants);
  if (field.predicate ? field.name.includes('.') : values === undefined) demands.set(...MORE);
  else if (values !== undefined && !field.predicate) demands.set(field.name, values);
  return demands;
}

function isPositive(relation: Relation, constants: readonly Constant[]): boolean {
  return constants.every(({ value }) => (value === 1n) === (relation === '=='));
}

/** The values that a comparison admits; nothing when it looks at some bits only. */
function valuesOf(
  { field, width }: Operand,
  relation: Relation,
  constants: readonly Constant[],
): Values | undefined {
  const isLiteral = constants.every(({ format }) => format !== 'set' && format !== 'group');
  if (!isLiteral || width !== field.width) return undefined;
  if (field.level === 'string') return new Set(constants.map(({ text }) => text));
  const last = (1n << BigInt(width)) - 1n;
  const ranges = constants.map((constant) => rangeOfConstant(constant, relation, last));
  if (ranges.includes(undefined)) return undefined;
  const named = mergeIntervals(
    ranges.flatMap((range) => (range === undefined || range.first > range.last ? [] : [range])),
  );
  return relation === '!=' ? subtractIntervals([{ first: 0n, last }], named) : named;
}

function rangeOfConstant(
  { value, mask }: Constant,
  relation: Relation,
  last: bigint,
): IntervalSet[number] | undefined {
  switch (relation) {
    case '<':
      return { first: 0n, last: value - 1n };
    case '<=':
      return { first: 0n, last: value };
    case '>':
      return { first: value + 1n, last };
    case '>=':
      return { first: value, last };
    case '==':
    case '!=': {
      const free = mask === undefined ? 0n : last & ~mask;
      // Only a mask of leading bits leaves one range.
      if ((free & (free + 1n)) !== 0n) return undefined;
      const first = value & ~free;
      return { first, last: first + free };
    }
  }
}

function common(a: Values, b: Values): Values {
  if (isTexts(a)) return isTexts(b) ? new Set([...a].filter((text) => b.has(text))) : a;
  return isTexts(b) ? b : intersectIntervals(a, b);
}

function isPart(part: Values, whole: Values): boolean {
  if (isTexts(part)) return isTexts(whole) && [...part].every((text) => whole.has(text));
  return !isTexts(whole) && subtractIntervals(part, whole).length === 0;
}

function isEmpty(values: Values): boolean {
  return isTexts(values) ? values.size === 0 : values.length === 0;
}

function isTexts(values: Values): values is ReadonlySet<string> {
  return values instanceof Set;
}
