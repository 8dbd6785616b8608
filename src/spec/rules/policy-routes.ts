import { parseIp, type Family } from '../../lib/ip.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Resource, ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { parsedList } from '../topology/parsed.ts';
import { topologyOf, type Topology } from '../topology/topology.ts';
import type { Unread } from '../unread.ts';
import { hopProblem } from './next-hop.ts';

/**
 * A policy route names next hops exactly when it reroutes; they are connected and of one family. Two policies of one
 * priority are fine as long as their expressions differ: whether they exclude each other is not ours to say.
 */
export function* policyRoutes(
  set: ResourceSet,
  _all: readonly Resource[],
  unread: Unread,
): Iterable<Diagnostic> {
  const topology = topologyOf(set);
  for (const vpc of set.all('Vpc')) {
    const seen = new Map<string, string>();
    for (const [index, route] of (vpc.spec.policyRoutes ?? []).entries()) {
      const field = `spec.policyRoutes[${index}]`;
      yield* nextHops(topology, vpc, index, unread);
      const key = `${route.priority} ${route.match.replaceAll(/\s+/g, ' ').trim()}`;
      const first = seen.get(key);
      seen.set(key, first ?? field);
      if (first === undefined) continue;
      const message = `a policy route with priority ${route.priority} and this expression is there already`;
      const related = [{ resource: vpc, field: first, message: 'the first one is here' }];
      yield diagnose(vpc, { code: 'RTE503', field, message, hint: 'Remove one of them.', related });
    }
  }
}

function* nextHops(
  topology: Topology,
  vpc: ResourceOf<'Vpc'>,
  index: number,
  unread: Unread,
): Iterable<Diagnostic> {
  const route = vpc.spec.policyRoutes?.[index];
  if (route === undefined) return;
  const field = `spec.policyRoutes[${index}]`;
  const hops = route.nextHops ?? [];
  if (route.action === 'reroute' && hops.length === 0) {
    const message = 'the action reroute needs nextHops';
    yield diagnose(vpc, {
      code: 'RTE505',
      field: `${field}.action`,
      message,
      hint: 'Add nextHops, or choose allow or drop.',
    });
  }
  if (route.action !== 'reroute' && route.nextHops !== undefined) {
    const message = `nextHops have no meaning with the action ${route.action}`;
    yield diagnose(vpc, {
      code: 'RTE505',
      field: `${field}.nextHops`,
      message,
      hint: 'Remove them, or choose reroute.',
    });
    return;
  }
  let family: Family | undefined = familyOfMatch(route.match);
  for (const { index: at, value } of parsedList(hops, parseIp)) {
    const problem = hopProblem(topology, vpc, value, family, unread);
    if (problem !== undefined) yield diagnose(vpc, { ...problem, field: `${field}.nextHops[${at}]` });
    family ??= value.family;
  }
}

/** The family that an expression is about, when it is about one. */
function familyOfMatch(match: string): Family | undefined {
  const [v4, v6] = [/\b(?:ip4|icmp4|arp)\b/.test(match), /\b(?:ip6|icmp6|nd)\b/.test(match)];
  if (v4 === v6) return undefined;
  return v4 ? 4 : 6;
}
