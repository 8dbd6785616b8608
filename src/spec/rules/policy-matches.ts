import type { Diagnostic } from '../../model/diagnostic.ts';
import type { ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { peeringPortName, routerPortName } from '../../model/router-port-name.ts';
import { diagnose, type Finding } from '../diagnose.ts';
import type { MatchExpression } from '../match/expression.ts';
import type { MatchProblem } from '../match/match-problem.ts';
import { parseMatch, type MatchNames } from '../match/parse-match.ts';
import type { Token } from '../match/tokens.ts';
import { nearest } from '../nearest.ts';
import { topologyOf } from '../topology/topology.ts';
import type { Unread } from '../unread.ts';
import type { Part } from '../parts.ts';

/** Names of sets and groups are ours to choose, and so no promise that a user could build on. */
export const NO_NAMES: MatchNames = { sets: new Set(), groups: new Set() };

/**
 * Match expressions parse and name ports that the router has: OVN would skip one that does not parse with a log line, and
 * the policy would be gone; a port that does not exist matches nothing, without a word.
 */
export function* policyMatches(part: Part, set: ResourceSet, unread: Unread): Iterable<Diagnostic> {
  for (const vpc of part.all('Vpc')) {
    for (const [index, { match }] of (vpc.spec.policyRoutes ?? []).entries()) {
      const field = `spec.policyRoutes[${index}].match`;
      const parsed = parseMatch(match, NO_NAMES);
      if (!parsed.ok) {
        const { message } = parsed.error;
        const hint =
          'Correct the expression; ovn-sb(5) describes the language under "match" of Logical_Flow.';
        yield located(vpc, match, parsed.error, { code: 'MAT551', field, message, hint });
      } else if (!unread.connects(vpc)) yield* unknownPorts(set, vpc, field, match, parsed.value);
    }
  }
}

function* unknownPorts(
  set: ResourceSet,
  vpc: ResourceOf<'Vpc'>,
  field: string,
  match: string,
  expression: MatchExpression,
): Iterable<Diagnostic> {
  const ports = portsNamed(expression);
  if (ports.length === 0) return;
  const names = routerPortsOf(set, vpc);
  for (const { text, offset } of ports) {
    const name = text.slice(1, -1).replaceAll(/\\(.)/g, '$1');
    if (names.includes(name)) continue;
    const near = nearest(name, names);
    const message = `the router of ${vpc.name} has no port "${name}"`;
    const choice =
      names.length === 0 ? 'Give the VPC a subnet first.' : `Its ports are: ${names.join(', ')}.`;
    const hint = near === undefined ? choice : `Did you mean "${near}"?`;
    yield located(vpc, match, { offset, length: text.length }, { code: 'MAT552', field, message, hint });
  }
}

/** The names that inport and outport are compared with. */
function portsNamed(expression: MatchExpression): readonly Token[] {
  if (expression.kind === 'other') return [];
  if (expression.kind !== 'comparison') return expression.operands.flatMap(portsNamed);
  return expression.operand.field.level === 'string' ? expression.tokens : [];
}

/** The names of all ports of a VPC's router. */
function routerPortsOf(set: ResourceSet, { name, spec }: ResourceOf<'Vpc'>): readonly string[] {
  const topology = topologyOf(set);
  return [
    ...topology.subnetsOf(name).map((subnet) => routerPortName(name, subnet.name)),
    ...(spec.external ?? []).map(({ subnet }) => routerPortName(name, subnet)),
    ...topology.sidesOf(name).map(({ peering }) => peeringPortName(name, peering.name)),
  ];
}

/** The diagnostic at the column inside the expression, as long as the file shows the expression as it is. */
function located(
  vpc: ResourceOf<'Vpc'>,
  match: string,
  { offset, length }: Pick<MatchProblem, 'offset' | 'length'>,
  finding: Finding,
): Diagnostic {
  const before = Array.from(match.slice(0, offset)).length;
  const message = `${finding.message} (character ${before + 1} of the expression)`;
  const diagnostic = diagnose(vpc, { ...finding, message });
  const { place, excerpt } = diagnostic;
  const shown = Array.from(excerpt?.text ?? '')
    .slice(place.column - 1)
    .join('');
  const quote = /^["']?/.exec(shown)?.[0].length ?? 0;
  if (excerpt === undefined || !shown.startsWith(match, quote)) return diagnostic;
  const column = place.column + quote + before;
  return { ...diagnostic, place: { ...place, column }, excerpt: { text: excerpt.text, length } };
}
