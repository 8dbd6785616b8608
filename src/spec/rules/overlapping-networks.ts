import { cidrCovers, formatCidr, type Cidr } from '../../lib/cidr.ts';
import { compareIp } from '../../lib/ip.ts';
import { compareText } from '../../lib/order.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { resourceId, type Resource } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { topologyOf, type Connection, type Topology } from '../topology/topology.ts';
import type { Part } from '../parts.ts';

/**
 * What one router reaches has no address in common: its subnets, the links of its peerings, its external subnets, and
 * what its peers let it reach. Two such networks make two flows of equal match and priority: delivery is undefined.
 * VPCs without a path to each other may have equal networks.
 */
export function* overlappingNetworks(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  const topology = topologyOf(set);
  for (const { name: vpc } of part.all('Vpc')) {
    const reported = new Set<string>();
    const connections = topology.connectionsOf(vpc);
    yield* unreported(vpc, overlaps(connections), reported);
    const far = overlaps([...connections, ...topology.peerNetworksOf(vpc)]);
    yield* unreported(
      vpc,
      far.filter(([one, two]) => isFirstToReach(topology, set, vpc, one, two)),
      reported,
    );
  }
}

/** A pair is reported at the router that is connected to both, or else at the first one that reaches both. */
function isFirstToReach(
  topology: Topology,
  set: ResourceSet,
  vpc: string,
  one: Reached,
  two: Reached,
): boolean {
  const places = [placeId(one), placeId(two)];
  const seenAmong = (reached: readonly Reached[]): boolean =>
    places.every((place) => reached.some((each) => placeId(each) === place));
  const near = topology.peersOf(vpc);
  const others = new Set(near.flatMap((peer) => [peer, ...topology.peersOf(peer)]));
  return [...others].every(
    (other) =>
      other === vpc ||
      set.get('Vpc', other) === undefined ||
      !(seenAmong(topology.connectionsOf(other)) || (other < vpc && seenAmong(reachedBy(topology, other)))),
  );
}

function* unreported(vpc: string, pairs: readonly Pair[], reported: Set<string>): Iterable<Diagnostic> {
  for (const [one, two] of pairs) {
    const id = [placeId(one), placeId(two)].toSorted(compareText).join(' ');
    if (reported.has(id) || isOneNetwork(one, two)) continue;
    reported.add(id);
    const relation = one.network.prefix === two.network.prefix ? 'is the same network as' : 'overlaps';
    const message = `${nameOf(two)} ${relation} ${nameOf(one)}; the router of ${vpc} reaches both`;
    const related = [{ resource: one.resource, field: one.field, message: `${nameOf(one)} is here` }];
    const hint = 'Give one of them another network, or separate the VPCs.';
    yield diagnose(two.resource, { code: 'ADR404', field: two.field, message, hint, related });
  }
}

/** A peer may have several ways to be reached, and a router several addresses on one external subnet. */
function isOneNetwork(one: Reached, two: Reached): boolean {
  return (
    placeId(one) === placeId(two) || (one.kind === 'external' && two.kind === 'external' && one.of === two.of)
  );
}

interface Reached {
  readonly network: Cidr;
  readonly resource: Resource;
  readonly field: string;
  readonly kind?: Connection['kind'];
  readonly of?: string;
}

type Pair = readonly [Reached, Reached];

function reachedBy(topology: Topology, vpc: string): readonly Reached[] {
  return [...topology.connectionsOf(vpc), ...topology.peerNetworksOf(vpc)];
}

/** All pairs with a common address. CIDRs are nested or apart, so that a stack of those still open finds them all. */
function overlaps(reached: readonly Reached[]): readonly Pair[] {
  const pairs: Pair[] = [];
  const ordered = reached.toSorted(
    (a, b) => compareIp(a.network.base, b.network.base) || a.network.prefix - b.network.prefix,
  );
  let open: Reached[] = [];
  for (const next of ordered) {
    open = open.filter(({ network }) => cidrCovers(network, next.network));
    for (const outer of open) pairs.push([outer, next]);
    open.push(next);
  }
  return pairs;
}

function placeId({ resource, field }: Reached): string {
  return `${resourceId(resource)} ${field}`;
}

function nameOf({ network, resource }: Reached): string {
  return `${formatCidr(network)} of ${resourceId(resource)}`;
}
