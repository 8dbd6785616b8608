import { cidrCovers, formatCidr, parseCidr, type Cidr } from '../../lib/cidr.ts';
import { formatIp, parseIp, type Ip } from '../../lib/ip.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { resourceId, type Resource, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { parsed } from '../topology/parsed.ts';
import { topologyOf, type Topology } from '../topology/topology.ts';
import type { Unread } from '../unread.ts';
import { hopProblem } from './next-hop.ts';
import type { Part } from '../parts.ts';

/**
 * Routes lead over connected networks, in their own family, and no two decide on the same traffic unless all of them ask
 * to share it: OVN turns an accidental second next hop into load sharing and skips an unreachable one with a log line.
 */
export function* staticRoutes(part: Part, set: ResourceSet, unread: Unread): Iterable<Diagnostic> {
  const topology = topologyOf(set);
  for (const vpc of part.all('Vpc')) {
    const routes = routesOf(vpc);
    const connections = topology.connectionsOf(vpc.name);
    for (const { field, cidr, via, match } of routes) {
      const hop = hopProblem(topology, vpc, via, cidr.family, unread);
      if (hop !== undefined) yield diagnose(vpc, { ...hop, field: `${field}.via` });
      const connected = connections.find(({ network }) => cidrCovers(network, cidr));
      if (match === 'source' || connected === undefined) continue;
      const message = `${formatCidr(cidr)} is connected to the router anyway, which this route overrides or repeats`;
      const related = [{ resource: connected.resource, field: connected.field }];
      const hint = 'Remove the route unless it is meant to win over the connected network.';
      yield diagnose(vpc, {
        code: 'RTE504',
        severity: 'warning',
        field: `${field}.cidr`,
        message,
        hint,
        related,
      });
    }
    yield* conflicts(vpc, [...routes, ...impliedRoutes(topology, vpc)]);
    yield* sourceBeforeDestination(topology, vpc, routes);
  }
}

interface Route {
  readonly resource: Resource;
  readonly field: string;
  readonly cidr: Cidr;
  readonly via: Ip;
  readonly match: 'destination' | 'source';
  readonly ecmp: boolean;
  /** Why there is such a route although nobody wrote it. */
  readonly implied?: string;
}

function routesOf(vpc: ResourceOf<'Vpc'>): readonly Route[] {
  return (vpc.spec.routes ?? []).flatMap(({ cidr, via, match = 'destination', ecmp = false }, index) =>
    parsed(parseCidr(cidr)).flatMap((network) =>
      parsed(parseIp(via)).map((hop) => ({
        resource: vpc,
        field: `spec.routes[${index}]`,
        cidr: network,
        via: hop,
        match,
        ecmp,
      })),
    ),
  );
}

/** The routes of peerings. The default route of an external connection gives way to one that is written. */
function impliedRoutes(topology: Topology, vpc: ResourceOf<'Vpc'>): readonly Route[] {
  return topology.peerNetworksOf(vpc.name).map(({ network, via, peering, resource, field }) => ({
    resource,
    field,
    cidr: network,
    via,
    match: 'destination',
    ecmp: false,
    implied: `a route of ${resourceId(peering)}`,
  }));
}

/** Implied routes are compared with written ones only; among themselves they overlap as networks do. */
function* conflicts(vpc: ResourceOf<'Vpc'>, routes: readonly Route[]): Iterable<Diagnostic> {
  const byTraffic = new Map<string, Route[]>();
  for (const route of routes) {
    const key = `${route.match} ${formatCidr(route.cidr)}`;
    byTraffic.set(key, [...(byTraffic.get(key) ?? []), route]);
  }
  for (const group of byTraffic.values()) {
    for (const [index, route] of group.entries()) {
      if (route.implied !== undefined) continue;
      const other = group.find(
        (candidate, at) => (at < index || candidate.implied !== undefined) && clash(route, candidate),
      );
      if (other !== undefined) yield conflict(vpc, route, other);
    }
  }
}

function clash(route: Route, other: Route): boolean {
  return formatIp(route.via) === formatIp(other.via) || !route.ecmp || !other.ecmp;
}

function conflict(vpc: ResourceOf<'Vpc'>, route: Route, other: Route): Diagnostic {
  const same = formatIp(route.via) === formatIp(other.via);
  const what = other.implied ?? 'another route';
  return diagnose(vpc, {
    code: 'RTE503',
    field: route.field,
    message: same
      ? `the route to ${formatCidr(route.cidr)} via ${formatIp(route.via)} is there twice: it is also ${what}`
      : `the route to ${formatCidr(route.cidr)} via ${formatIp(route.via)} competes with ${what} via ${formatIp(other.via)}`,
    hint:
      same || other.implied !== undefined
        ? 'Remove one of them.'
        : 'Remove one of them, or write ecmp: true in all of them to share the traffic.',
    related: [{ resource: other.resource, field: other.field, message: `${what} is here` }],
  });
}

/** Up to OVN 25.03 the longer prefix wins whatever is compared; later every destination route wins. */
function* sourceBeforeDestination(
  topology: Topology,
  vpc: ResourceOf<'Vpc'>,
  routes: readonly Route[],
): Iterable<Diagnostic> {
  const destinations = [
    ...routes.filter(({ match, cidr }) => match === 'destination' && cidr.prefix > 0),
    ...topology
      .peerNetworksOf(vpc.name)
      .map(({ network, resource, field }) => ({ cidr: network, resource, field })),
  ];
  for (const { field, cidr, match } of routes) {
    if (match !== 'source') continue;
    const loser = destinations.find(
      (other) => other.cidr.family === cidr.family && other.cidr.prefix < cidr.prefix,
    );
    if (loser === undefined) continue;
    const message = `up to OVN 25.03, what comes from ${formatCidr(cidr)} takes this route even to ${formatCidr(loser.cidr)}`;
    const related = [
      { resource: loser.resource, field: loser.field, message: 'the shorter destination route is here' },
    ];
    const hint = 'Use a policy route, or a source prefix that is not longer than the destination routes.';
    yield diagnose(vpc, {
      code: 'RTE506',
      severity: 'warning',
      field: `${field}.cidr`,
      message,
      hint,
      related,
    });
  }
}
