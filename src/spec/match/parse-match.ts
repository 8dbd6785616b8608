import { fail, ok, type Result } from '../../lib/result.ts';
import { nearest } from '../nearest.ts';
import { compareProblem } from './compare-problem.ts';
import { parseNumber, type Constant } from './constant.ts';
import {
  isRelation,
  negated,
  turned,
  type MatchExpression,
  type Operand,
  type Relation,
} from './expression.ts';
import { isInternalField, matchField, matchFieldNames } from './fields.ts';
import type { MatchProblem } from './match-problem.ts';
import { shown, TokenReader } from './token-reader.ts';
import { tokenize, type Token } from './tokens.ts';

/** The address sets and port groups that an expression may name, without `$` and `@`. */
export interface MatchNames {
  readonly sets: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

/**
 * Reads an OVN match expression (ovn-sb(5), Logical_Flow match), or says what is wrong with it: the first problem, as
 * OVN's own parser would find it. OVN drops an expression that it cannot parse with no more than a log line.
 */
export function parseMatch(text: string, names: MatchNames): Result<MatchExpression, MatchProblem> {
  const tokens = tokenize(text);
  return 'message' in tokens ? fail(tokens) : new MatchParser(tokens, names).parse();
}

/** Parentheses may be nested this deeply, as in OVN. */
const MAX_DEPTH = 100;

interface Constants {
  readonly members: readonly { readonly constant: Constant; readonly token: Token }[];
  readonly isSet: boolean;
}

/** An operand of `!`, `&&` or `||`; atomic when `!` may stand before it without parentheses. */
interface Primary {
  readonly expression: MatchExpression;
  readonly isAtomic: boolean;
}

const OTHER: MatchExpression = { kind: 'other' };

/** Recursive descent. Once there is a problem, it is all that counts: a step goes on with whatever is at hand. */
class MatchParser {
  readonly #reader: TokenReader;
  readonly #names: MatchNames;
  #depth = 0;
  #negated = false;

  constructor(tokens: readonly Token[], names: MatchNames) {
    this.#reader = new TokenReader(tokens);
    this.#names = names;
  }

  parse(): Result<MatchExpression, MatchProblem> {
    const expression = this.#expression();
    if (this.#reader.token.kind !== 'end')
      this.#reader.fail(
        this.#reader.token,
        `${shown(this.#reader.token)} follows where the expression could end`,
      );
    const { problem } = this.#reader;
    return problem === undefined ? ok(expression) : fail(problem);
  }

  #expression(): MatchExpression {
    if (++this.#depth > MAX_DEPTH)
      this.#reader.fail(this.#reader.token, `the expression is nested more than ${MAX_DEPTH} deep`);
    if (this.#reader.problem !== undefined) return OTHER;
    const operands = [this.#operand()];
    const joint = this.#reader.token;
    if (this.#reader.accept('&&') || this.#reader.accept('||')) {
      do operands.push(this.#operand());
      while (this.#reader.accept(joint.text));
      const other = joint.text === '&&' ? '||' : '&&';
      if (this.#reader.token.text === other)
        this.#reader.fail(this.#reader.token, '&& and || need parentheses when they are used together');
    }
    this.#depth -= 1;
    const [only, ...others] = operands;
    if (only !== undefined && others.length === 0) return only;
    return { kind: (joint.text === '&&') !== this.#negated ? 'and' : 'or', operands };
  }

  #operand(): MatchExpression {
    const bang = this.#reader.token;
    if (!this.#reader.accept('!')) return this.#primary().expression;
    this.#negated = !this.#negated;
    const { expression, isAtomic } = this.#primary();
    this.#negated = !this.#negated;
    if (!isAtomic) this.#reader.fail(bang, 'what ! negates needs parentheses');
    return expression;
  }

  #primary(): Primary {
    if (this.#reader.accept('(')) {
      const expression = this.#expression();
      this.#reader.expect(')');
      return { expression, isAtomic: true };
    }
    if (this.#reader.token.kind !== 'name') return this.#constantFirst();
    if (this.#reader.token.text === 'is_chassis_resident') {
      this.#residence();
      return { expression: OTHER, isAtomic: true };
    }
    return this.#fieldFirst();
  }

  #residence(): void {
    this.#reader.take();
    this.#reader.expect('(');
    const name = this.#reader.take();
    if (name.kind !== 'string')
      this.#reader.fail(name, 'is_chassis_resident takes the name of a port in quotes');
    this.#reader.expect(')');
  }

  #fieldFirst(): Primary {
    const start = this.#reader.token;
    const operand = this.#field();
    if (operand === undefined) return { expression: OTHER, isAtomic: false };
    const relation = this.#reader.token;
    if (isRelation(relation.text)) {
      this.#reader.take();
      return {
        expression: this.#compare(operand, relation.text, this.#constants(), relation),
        isAtomic: false,
      };
    }
    const { field, width } = operand;
    if (width === 0) this.#reader.fail(this.#reader.token, `${field.name} must be compared with something`);
    else if (width > 1 && !this.#negated)
      this.#reader.fail(start, `${field.name} has ${width} bits: compare it with something`);
    if (width > 1) return { expression: this.#comparison(operand, '!=', [ZERO], []), isAtomic: true };
    const expression = field.predicate
      ? this.#compare(operand, '==', { members: [], isSet: false }, start)
      : this.#comparison(operand, '==', [ONE], []);
    return { expression, isAtomic: true };
  }

  #constantFirst(): Primary {
    const first = this.#reader.token;
    const left = this.#constants();
    const failed = { expression: OTHER, isAtomic: false };
    if (left === undefined) return failed;
    const relation = this.#reader.token;
    if (!isRelation(relation.text)) {
      if (/^[01]$/.test(first.text)) return { expression: OTHER, isAtomic: true };
      this.#reader.fail(relation, `${first.text} must be compared with a field`);
      return failed;
    }
    this.#reader.take();
    const operand = this.#field();
    if (operand === undefined) return failed;
    const low = this.#compare(operand, turned(relation.text), left, relation);
    const second = this.#reader.token;
    if (!isRelation(second.text)) return { expression: low, isAtomic: false };
    this.#reader.take();
    const right = this.#constants();
    if (second.text.charAt(0) !== relation.text.charAt(0) || !/^[<>]/.test(second.text)) {
      this.#reader.fail(second, 'a range is written x < field < y or x > field > y, with < or <=, > or >=');
      return failed;
    }
    const operands = [low, this.#compare(operand, second.text, right, second)];
    return { expression: { kind: this.#negated ? 'or' : 'and', operands }, isAtomic: false };
  }

  #field(): Operand | undefined {
    const token = this.#reader.take();
    const field = token.kind === 'name' ? matchField(token.text) : undefined;
    if (field === undefined) return this.#reader.fail(token, unknownField(token));
    if (!this.#reader.accept('[')) return { field, width: field.width };
    const [low, high] = this.#bits();
    if (this.#reader.problem !== undefined) return undefined;
    if (field.level === 'string' || field.level === 'nominal')
      return this.#reader.fail(token, `${field.name} has no bits to pick`);
    if (low > high) return this.#reader.fail(token, `the bits ${low} to ${high} are in the wrong order`);
    if (high >= field.width)
      return this.#reader.fail(token, `${field.name} has the bits 0 to ${field.width - 1} only`);
    return { field, width: high - low + 1 };
  }

  #bits(): readonly [low: number, high: number] {
    const low = this.#bit();
    const high = this.#reader.accept('..') ? this.#bit() : low;
    this.#reader.expect(']');
    return [low, high];
  }

  #bit(): number {
    const token = this.#reader.take();
    if (!/^[0-9]{1,3}$/.test(token.text))
      this.#reader.fail(token, `${shown(token)} is not the number of a bit`);
    return Number(token.text);
  }

  #constants(): Constants | undefined {
    if (!this.#reader.accept('{')) {
      const member = this.#constant();
      return member === undefined ? undefined : { members: [member], isSet: member.token.kind === 'set' };
    }
    const members: Constants['members'][number][] = [];
    do {
      const member = this.#constant();
      if (member === undefined) return undefined;
      members.push(member);
      this.#reader.accept(',');
    } while (!this.#reader.accept('}'));
    return { members, isSet: true };
  }

  #constant(): Constants['members'][number] | undefined {
    if (this.#reader.problem !== undefined) return undefined;
    const token = this.#reader.take();
    const symbol = { text: token.text, bits: 0, value: 0n, mask: undefined };
    switch (token.kind) {
      case 'string':
        return { token, constant: { ...symbol, format: 'string' } };
      case 'set':
      case 'group': {
        const known = token.kind === 'set' ? this.#names.sets : this.#names.groups;
        if (known.has(token.text.slice(1))) return { token, constant: { ...symbol, format: token.kind } };
        return this.#reader.fail(
          token,
          `${token.text} is no ${token.kind === 'set' ? 'address set' : 'port group'} that can be named here`,
        );
      }
      case 'number': {
        const number = parseNumber(token.text);
        return number.ok ? { token, constant: number.value } : this.#reader.fail(token, number.error);
      }
      case 'name':
      case 'operator':
      case 'end':
        return this.#reader.fail(token, `a value is expected, not ${shown(token)}`);
    }
  }

  #compare(
    operand: Operand,
    relation: Relation,
    constants: Constants | undefined,
    at: Token,
  ): MatchExpression {
    if (this.#reader.problem !== undefined || constants === undefined) return OTHER;
    const { members, isSet } = constants;
    const values = members.length === 0 ? [ONE] : members.map(({ constant }) => constant);
    const problem = compareProblem({ operand, relation, constants: values, isSet, negated: this.#negated });
    if (problem !== undefined) {
      const culprit = members.find(({ constant }) => constant === problem.constant);
      this.#reader.fail(culprit?.token ?? at, problem.message);
    }
    return this.#comparison(
      operand,
      relation,
      values,
      members.map(({ token }) => token),
    );
  }

  #comparison(
    operand: Operand,
    relation: Relation,
    constants: readonly Constant[],
    tokens: readonly Token[],
  ): MatchExpression {
    const effective = this.#negated ? negated(relation) : relation;
    return { kind: 'comparison', operand, relation: effective, constants, tokens };
  }
}

/** What a predicate that stands alone is compared with. */
const ONE: Constant = { format: 'decimal', text: '1', bits: 1, value: 1n, mask: undefined };
/** What a field that stands alone below `!` is compared with. */
const ZERO: Constant = { ...ONE, text: '0', bits: 0, value: 0n };

function unknownField(token: Token): string {
  if (token.kind !== 'name') return `a field is expected, not ${shown(token)}`;
  if (isInternalField(token.text))
    return `the field ${token.text} is internal to OVN and differs between its versions`;
  const near = nearest(token.text, matchFieldNames());
  return near === undefined
    ? `there is no field ${token.text}`
    : `there is no field ${token.text}; did you mean ${near}?`;
}
