import { parseIp, type Family } from '../../lib/ip.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import type { PolicyRouteSpec } from '../../model/specs.ts';
import { diagnose } from '../diagnose.ts';
import { parsedList } from '../topology/parsed.ts';
import { topologyOf } from '../topology/topology.ts';
import type { Unread } from '../unread.ts';
import { hopProblem } from './next-hop.ts';
import type { Part } from '../parts.ts';

/** A policy route names next hops exactly when it reroutes; they are connected and of one family. */
export function* policyRoutes(part: Part, set: ResourceSet, unread: Unread): Iterable<Diagnostic> {
  for (const vpc of part.all('Vpc')) {
    for (const [index, route] of (vpc.spec.policyRoutes ?? []).entries()) {
      const field = `spec.policyRoutes[${index}]`;
      yield* actionFits(vpc, route, field);
      if (route.action !== 'reroute') continue;
      let family: Family | undefined = familyOfMatch(route.match);
      for (const { index: at, value } of parsedList(route.nextHops ?? [], parseIp)) {
        const problem = hopProblem(topologyOf(set), vpc, value, family, unread);
        if (problem !== undefined) yield diagnose(vpc, { ...problem, field: `${field}.nextHops[${at}]` });
        family ??= value.family;
      }
    }
  }
}

function* actionFits(
  vpc: ResourceOf<'Vpc'>,
  { action, nextHops }: PolicyRouteSpec,
  field: string,
): Iterable<Diagnostic> {
  if (action === 'reroute' && (nextHops ?? []).length === 0) {
    const message = 'the action reroute needs nextHops';
    const hint = 'Add nextHops, or choose allow or drop.';
    yield diagnose(vpc, { code: 'RTE505', field: `${field}.action`, message, hint });
  }
  if (action !== 'reroute' && nextHops !== undefined) {
    const message = `nextHops have no meaning with the action ${action}`;
    const hint = 'Remove them, or choose reroute.';
    yield diagnose(vpc, { code: 'RTE505', field: `${field}.nextHops`, message, hint });
  }
}

/** The family that an expression is about, when it is about one. */
function familyOfMatch(match: string): Family | undefined {
  const [v4, v6] = [/\b(?:ip4|icmp4|arp)\b/.test(match), /\b(?:ip6|icmp6|nd)\b/.test(match)];
  if (v4 === v6) return undefined;
  return v4 ? 4 : 6;
}
