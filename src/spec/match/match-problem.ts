/** What is wrong with an expression, and where in it, in UTF-16 units. */
export interface MatchProblem {
  readonly offset: number;
  readonly length: number;
  readonly message: string;
}
