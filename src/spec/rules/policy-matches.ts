import type { Diagnostic } from '../../model/diagnostic.ts';
import type { ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { checkMatch, type MatchNames } from '../match/check-match.ts';
import type { MatchProblem } from '../match/match-problem.ts';

/** Names of sets and groups are ours to choose, and so no promise that a user could build on. */
const NO_NAMES: MatchNames = { sets: new Set(), groups: new Set() };

/** Match expressions parse: OVN would skip one that does not with a log line, and the policy would be gone. */
export function* policyMatches(set: ResourceSet): Iterable<Diagnostic> {
  for (const vpc of set.all('Vpc')) {
    for (const [index, { match }] of (vpc.spec.policyRoutes ?? []).entries()) {
      const problem = checkMatch(match, NO_NAMES);
      if (problem !== undefined) yield located(vpc, `spec.policyRoutes[${index}].match`, match, problem);
    }
  }
}

/** The diagnostic at the column inside the expression, as long as the file shows the expression as it is. */
function located(
  vpc: ResourceOf<'Vpc'>,
  field: string,
  match: string,
  { offset, length, message }: MatchProblem,
): Diagnostic {
  const before = Array.from(match.slice(0, offset)).length;
  const diagnostic = diagnose(vpc, {
    code: 'MAT551',
    field,
    message: `${message} (character ${before + 1} of the expression)`,
    hint: 'Correct the expression; ovn-sb(5) describes the language under "match" of Logical_Flow.',
  });
  const { place, excerpt } = diagnostic;
  const shown = Array.from(excerpt?.text ?? '')
    .slice(place.column - 1)
    .join('');
  const quote = /^["']?/.exec(shown)?.[0].length ?? 0;
  if (excerpt === undefined || !shown.startsWith(match, quote)) return diagnostic;
  const column = place.column + quote + before;
  return { ...diagnostic, place: { ...place, column }, excerpt: { text: excerpt.text, length } };
}
