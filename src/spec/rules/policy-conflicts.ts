import { groupBy } from '../../lib/group.ts';
import { sortedSet } from '../../lib/order.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { ResourceOf } from '../../model/resource.ts';
import type { PolicyRouteSpec } from '../../model/specs.ts';
import { diagnose } from '../diagnose.ts';
import { areDisjoint, waysToMatch, type WaysToMatch } from '../match/ways-to-match.ts';
import { parseMatch } from '../match/parse-match.ts';
import { NO_NAMES } from './policy-matches.ts';
import type { Part } from '../parts.ts';

/**
 * Of policy routes of one priority, at most one decides on a packet: between two that match, OVN chooses either. They may
 * be equal in priority when they do the same or when their expressions exclude each other.
 */
export function* policyConflicts(part: Part): Iterable<Diagnostic> {
  for (const vpc of part.all('Vpc')) {
    for (const routes of groupBy(policiesOf(vpc), ({ route }) => route.priority).values()) {
      for (const [at, policy] of routes.entries()) {
        const earlier = routes.slice(0, at);
        const same = earlier.find(({ text }) => text === policy.text);
        const other = same ?? earlier.find((candidate) => mayDisagree(policy, candidate));
        if (same !== undefined) yield repeated(vpc, policy, same);
        else if (other !== undefined) yield disagreement(vpc, policy, other);
      }
    }
  }
}

interface Policy {
  readonly route: PolicyRouteSpec;
  readonly field: string;
  /** The expression without what makes no difference. */
  readonly text: string;
  /** What is done with a packet, in words. */
  readonly outcome: string;
  /** Nothing when the expression does not parse. */
  readonly ways: WaysToMatch | undefined;
}

function policiesOf(vpc: ResourceOf<'Vpc'>): readonly Policy[] {
  return (vpc.spec.policyRoutes ?? []).map((route, index) => {
    const parsed = parseMatch(route.match, NO_NAMES);
    const hops = sortedSet(route.nextHops ?? []);
    return {
      route,
      field: `spec.policyRoutes[${index}]`,
      text: route.match.replaceAll(/\s+/g, ' ').trim(),
      outcome: hops.length === 0 ? route.action : `${route.action} to ${hops.join(', ')}`,
      ways: parsed.ok ? waysToMatch(parsed.value) : undefined,
    };
  });
}

function mayDisagree(one: Policy, other: Policy): boolean {
  if (one.ways === undefined || other.ways === undefined || one.outcome === other.outcome) return false;
  return !areDisjoint(one.ways, other.ways);
}

function repeated(vpc: ResourceOf<'Vpc'>, { route, field }: Policy, first: Policy): Diagnostic {
  const message = `a policy route with priority ${route.priority} and this expression is there already`;
  const related = [{ resource: vpc, field: first.field, message: 'the first one is here' }];
  return diagnose(vpc, { code: 'RTE503', field, message, hint: 'Remove one of them.', related });
}

function disagreement(vpc: ResourceOf<'Vpc'>, policy: Policy, other: Policy): Diagnostic {
  const { route, outcome, field } = policy;
  const message = `a packet may match this (${outcome}) and another policy route of priority ${route.priority} (${other.outcome}), and OVN does not say which one decides`;
  return diagnose(vpc, {
    code: 'RTE507',
    severity: 'warning',
    field: `${field}.match`,
    message,
    hint: 'Give them different priorities, or let the expressions name different values of one field.',
    related: [{ resource: vpc, field: `${other.field}.match`, message: 'the other one is here' }],
  });
}
