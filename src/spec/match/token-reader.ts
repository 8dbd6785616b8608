import type { MatchProblem } from './match-problem.ts';
import type { Token } from './tokens.ts';

/** Reads tokens one by one up to the first problem, which is the only one that is kept. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  #next = 0;
  #problem: MatchProblem | undefined;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get problem(): MatchProblem | undefined {
    return this.#problem;
  }

  /** The token that comes next. */
  get token(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', text: '', offset: 0 };
  }

  take(): Token {
    const { token } = this;
    if (token.kind !== 'end') this.#next += 1;
    return token;
  }

  /** Takes the operator if it is next and nothing has gone wrong yet. */
  accept(operator: string): boolean {
    if (this.#problem !== undefined || this.token.kind !== 'operator' || this.token.text !== operator)
      return false;
    this.#next += 1;
    return true;
  }

  expect(operator: string): void {
    if (!this.accept(operator)) this.fail(this.token, `${operator} is missing before ${shown(this.token)}`);
  }

  fail(token: Token, message: string): undefined {
    this.#problem ??= { offset: token.offset, length: Math.max(1, token.text.length), message };
    return undefined;
  }
}

/** A token as messages name it. */
export function shown(token: Token): string {
  return token.kind === 'end' ? 'the end' : token.text;
}
