import { formatCidr } from '../lib/cidr.ts';
import { sha256Hex } from '../lib/hash.ts';
import { formatIp } from '../lib/ip.ts';
import { sortedSet } from '../lib/order.ts';
import { rowKey } from '../model/nb.ts';
import type { PolicyRouteSpec, RouteSpec } from '../model/specs.ts';
import type { Compilation } from './compilation.ts';
import { routerKey } from './names.ts';
import { cidrOf, ipOf } from './text.ts';
import type { VpcNode } from './topology.ts';

/**
 * A VPC's static routes and policies. Their identity is what they say, so that a route added in the middle of the list
 * is one new row, and two that say the same are one.
 */
export function compileRoutes(vpc: VpcNode, compilation: Compilation): void {
  for (const route of vpc.resource.spec.routes ?? []) compileRoute(vpc, route, compilation);
  for (const route of vpc.resource.spec.policyRoutes ?? []) compilePolicyRoute(vpc, route, compilation);
}

function compileRoute(vpc: VpcNode, route: RouteSpec, { rows }: Compilation): void {
  const prefix = formatCidr(cidrOf(route.cidr));
  const nexthop = formatIp(ipOf(route.via));
  const policy = route.match === 'source' ? 'src-ip' : 'dst-ip';
  const key = rowKey('Logical_Router_Static_Route', vpc.name, policy, prefix, nexthop);
  if (rows.has(key)) return;
  rows.add({
    table: 'Logical_Router_Static_Route',
    key,
    unit: vpc.unit,
    columns: { ip_prefix: prefix, nexthop, policy },
    parent: { key: routerKey(vpc.name), column: 'static_routes' },
    from: vpc.resource,
  });
}

function compilePolicyRoute(vpc: VpcNode, route: PolicyRouteSpec, { rows }: Compilation): void {
  const match = canonicalMatch(route.match);
  const nexthops = sortedSet((route.nextHops ?? []).map((hop) => formatIp(ipOf(hop))));
  const digest = sha256Hex(JSON.stringify([match, route.action, nexthops])).slice(0, 16);
  const key = rowKey('Logical_Router_Policy', vpc.name, `${route.priority}`, digest);
  if (rows.has(key)) return;
  rows.add({
    table: 'Logical_Router_Policy',
    key,
    unit: vpc.unit,
    columns: { priority: route.priority, match, action: route.action, nexthops },
    parent: { key: routerKey(vpc.name), column: 'policies' },
    from: vpc.resource,
  });
}

/** One space wherever the text has white space outside of a quoted string. */
function canonicalMatch(match: string): string {
  return match.trim().replaceAll(/"(?:[^"\\]|\\.)*"|\s+/gu, (part) => (part.startsWith('"') ? part : ' '));
}
