import { nearest } from '../nearest.ts';
import { compareProblem, type Comparison, type Operand } from './compare-problem.ts';
import { parseNumber, type Constant } from './constant.ts';
import { isInternalField, matchField, matchFieldNames } from './fields.ts';
import type { MatchProblem } from './match-problem.ts';
import { tokenize, type Token } from './tokens.ts';

/** The address sets and port groups that an expression may name, without `$` and `@`. */
export interface MatchNames {
  readonly sets: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

/**
 * What is wrong with an OVN match expression (ovn-sb(5), Logical_Flow match), if anything: the first problem, as OVN's
 * own parser would find it. OVN drops an expression that it cannot parse with no more than a log line.
 */
export function checkMatch(text: string, names: MatchNames): MatchProblem | undefined {
  const tokens = tokenize(text);
  return 'message' in tokens ? tokens : new MatchParser(tokens, names).check();
}

const RELATIONS = new Set(['==', '!=', '<', '<=', '>', '>=']);
const TURNED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };
/** Parentheses may be nested this deeply, as in OVN. */
const MAX_DEPTH = 100;

interface Constants {
  readonly members: readonly { readonly constant: Constant; readonly token: Token }[];
  readonly isSet: boolean;
}

/** Recursive descent without a result: nothing is kept but the first problem. A step gives nothing once there is one. */
class MatchParser {
  readonly #tokens: readonly Token[];
  readonly #names: MatchNames;
  #next = 0;
  #depth = 0;
  #negated = false;
  #problem: MatchProblem | undefined;

  constructor(tokens: readonly Token[], names: MatchNames) {
    this.#tokens = tokens;
    this.#names = names;
  }

  check(): MatchProblem | undefined {
    this.#expression();
    if (this.#token.kind !== 'end')
      this.#fail(this.#token, `${shown(this.#token)} follows where the expression could end`);
    return this.#problem;
  }

  get #token(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', text: '', offset: 0 };
  }

  #take(): Token {
    const token = this.#token;
    if (token.kind !== 'end') this.#next += 1;
    return token;
  }

  #accept(operator: string): boolean {
    if (this.#problem !== undefined || this.#token.kind !== 'operator' || this.#token.text !== operator)
      return false;
    this.#next += 1;
    return true;
  }

  #expect(operator: string): void {
    if (!this.#accept(operator))
      this.#fail(this.#token, `${operator} is missing before ${shown(this.#token)}`);
  }

  #fail(token: Token, message: string): undefined {
    this.#problem ??= { offset: token.offset, length: Math.max(1, token.text.length), message };
    return undefined;
  }

  #expression(): void {
    if (++this.#depth > MAX_DEPTH)
      this.#fail(this.#token, `the expression is nested more than ${MAX_DEPTH} deep`);
    if (this.#problem !== undefined) return;
    this.#operand();
    const joint = this.#token;
    if (this.#accept('&&') || this.#accept('||')) {
      do this.#operand();
      while (this.#accept(joint.text));
      const other = joint.text === '&&' ? '||' : '&&';
      if (this.#token.text === other)
        this.#fail(this.#token, '&& and || need parentheses when they are used together');
    }
    this.#depth -= 1;
  }

  #operand(): void {
    const bang = this.#token;
    if (!this.#accept('!')) {
      this.#primary();
      return;
    }
    this.#negated = !this.#negated;
    const isAtomic = this.#primary();
    this.#negated = !this.#negated;
    if (!isAtomic) this.#fail(bang, 'what ! negates needs parentheses');
  }

  /** True for what `!` may stand before without parentheses. */
  #primary(): boolean {
    if (this.#accept('(')) {
      this.#expression();
      this.#expect(')');
      return true;
    }
    if (this.#token.kind !== 'name') return this.#constantFirst();
    if (this.#token.text === 'is_chassis_resident') {
      this.#residence();
      return true;
    }
    return this.#fieldFirst();
  }

  #residence(): void {
    this.#take();
    this.#expect('(');
    const name = this.#take();
    if (name.kind !== 'string') this.#fail(name, 'is_chassis_resident takes the name of a port in quotes');
    this.#expect(')');
  }

  #fieldFirst(): boolean {
    const start = this.#token;
    const operand = this.#field();
    if (operand === undefined) return false;
    if (!RELATIONS.has(this.#token.text)) {
      if (operand.width === 0)
        this.#fail(this.#token, `${operand.field.name} must be compared with something`);
      else if (operand.width > 1 && !this.#negated) {
        this.#fail(start, `${operand.field.name} has ${operand.width} bits: compare it with something`);
      } else if (operand.field.predicate) {
        this.#compare(operand, '==', { members: [], isSet: false }, start);
      }
      return true;
    }
    const relation = this.#take();
    const constants = this.#constants();
    if (constants !== undefined) this.#compare(operand, relation.text, constants, relation);
    return false;
  }

  #constantFirst(): boolean {
    const first = this.#token;
    const left = this.#constants();
    if (left === undefined) return false;
    const relation = this.#token;
    if (!RELATIONS.has(relation.text)) {
      if (/^[01]$/.test(first.text)) return true;
      this.#fail(relation, `${first.text} must be compared with a field`);
      return false;
    }
    this.#take();
    const operand = this.#field();
    if (operand === undefined) return false;
    this.#compare(operand, TURNED[relation.text] ?? relation.text, left, relation);
    const second = this.#token;
    if (!RELATIONS.has(second.text)) return false;
    this.#take();
    const right = this.#constants();
    if (second.text.charAt(0) !== relation.text.charAt(0) || !/^[<>]/.test(second.text)) {
      this.#fail(second, 'a range is written x < field < y or x > field > y, with < or <=, > or >=');
    } else if (right !== undefined) this.#compare(operand, second.text, right, second);
    return false;
  }

  #field(): Operand | undefined {
    const token = this.#take();
    const field = token.kind === 'name' ? matchField(token.text) : undefined;
    if (field === undefined) return this.#fail(token, unknownField(token));
    if (!this.#accept('[')) return { field, width: field.width };
    const [low, high] = this.#bits();
    if (this.#problem !== undefined) return undefined;
    if (field.level === 'string' || field.level === 'nominal')
      return this.#fail(token, `${field.name} has no bits to pick`);
    if (low > high) return this.#fail(token, `the bits ${low} to ${high} are in the wrong order`);
    if (high >= field.width)
      return this.#fail(token, `${field.name} has the bits 0 to ${field.width - 1} only`);
    return { field, width: high - low + 1 };
  }

  #bits(): readonly [low: number, high: number] {
    const low = this.#bit();
    const high = this.#accept('..') ? this.#bit() : low;
    this.#expect(']');
    return [low, high];
  }

  #bit(): number {
    const token = this.#take();
    if (!/^[0-9]{1,3}$/.test(token.text)) this.#fail(token, `${shown(token)} is not the number of a bit`);
    return Number(token.text);
  }

  #constants(): Constants | undefined {
    if (!this.#accept('{')) {
      const member = this.#constant();
      return member === undefined ? undefined : { members: [member], isSet: member.token.kind === 'set' };
    }
    const members: Constants['members'][number][] = [];
    do {
      const member = this.#constant();
      if (member === undefined) return undefined;
      members.push(member);
      this.#accept(',');
    } while (!this.#accept('}'));
    return { members, isSet: true };
  }

  #constant(): Constants['members'][number] | undefined {
    if (this.#problem !== undefined) return undefined;
    const token = this.#take();
    const symbol = { text: token.text, bits: 0, value: 0n, masked: false };
    switch (token.kind) {
      case 'string':
        return { token, constant: { ...symbol, format: 'string' } };
      case 'set':
      case 'group': {
        const known = token.kind === 'set' ? this.#names.sets : this.#names.groups;
        if (known.has(token.text.slice(1))) return { token, constant: { ...symbol, format: token.kind } };
        return this.#fail(
          token,
          `${token.text} is no ${token.kind === 'set' ? 'address set' : 'port group'} that can be named here`,
        );
      }
      case 'number': {
        const number = parseNumber(token.text);
        return number.ok ? { token, constant: number.value } : this.#fail(token, number.error);
      }
      case 'name':
      case 'operator':
      case 'end':
        return this.#fail(token, `a value is expected, not ${shown(token)}`);
    }
  }

  #compare(operand: Operand, relation: string, { members, isSet }: Constants, at: Token): void {
    if (this.#problem !== undefined) return;
    const constants = members.length === 0 ? [ONE] : members.map(({ constant }) => constant);
    const comparison: Comparison = { operand, relation, constants, isSet, negated: this.#negated };
    const problem = compareProblem(comparison);
    if (problem === undefined) return;
    const culprit = members.find(({ constant }) => constant === problem.constant);
    this.#fail(culprit?.token ?? at, problem.message);
  }
}

/** What a predicate that stands alone is compared with. */
const ONE: Constant = { format: 'decimal', text: '1', bits: 1, value: 1n, masked: false };

function unknownField(token: Token): string {
  if (token.kind !== 'name') return `a field is expected, not ${shown(token)}`;
  if (isInternalField(token.text))
    return `the field ${token.text} is internal to OVN and differs between its versions`;
  const near = nearest(token.text, matchFieldNames());
  return near === undefined
    ? `there is no field ${token.text}`
    : `there is no field ${token.text}; did you mean ${near}?`;
}

function shown(token: Token): string {
  return token.kind === 'end' ? 'the end' : token.text;
}
