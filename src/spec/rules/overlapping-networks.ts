import { cidrCovers, formatCidr, type Cidr } from '../../lib/cidr.ts';
import { compareIp } from '../../lib/ip.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { resourceId, type Resource } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { topologyOf, type Topology } from '../topology/topology.ts';

/**
 * What one router reaches has no address in common: its subnets, the links of its peerings, its external subnets, and
 * what its peers let it reach. Two such networks make two flows of equal match and priority: delivery is undefined.
 * VPCs without a path to each other may have equal networks.
 */
export function* overlappingNetworks(set: ResourceSet): Iterable<Diagnostic> {
  const topology = topologyOf(set);
  const reported = new Set<string>();
  for (const vpc of set.all('Vpc')) {
    for (const [one, two] of overlaps(reachedBy(topology, vpc.name))) {
      const id = `${placeId(one)} ${placeId(two)}`;
      if (reported.has(id) || placeId(one) === placeId(two)) continue;
      reported.add(id);
      reported.add(`${placeId(two)} ${placeId(one)}`);
      const relation = one.network.prefix === two.network.prefix ? 'is the same network as' : 'overlaps';
      const message = `${nameOf(two)} ${relation} ${nameOf(one)}; both are reached from the VPC ${vpc.name}`;
      const related = [{ resource: one.resource, field: one.field, message: `${nameOf(one)} is here` }];
      const hint = 'Give one of them another network, or separate the VPCs.';
      yield diagnose(two.resource, { code: 'ADR404', field: two.field, message, hint, related });
    }
  }
}

interface Reached {
  readonly network: Cidr;
  readonly resource: Resource;
  readonly field: string;
}

function reachedBy(topology: Topology, vpc: string): readonly Reached[] {
  return [...topology.connectionsOf(vpc), ...topology.peerNetworksOf(vpc)];
}

/** All pairs with a common address. CIDRs are nested or apart, so that a stack of those still open finds them all. */
function* overlaps(reached: readonly Reached[]): Iterable<readonly [Reached, Reached]> {
  const ordered = reached.toSorted(
    (a, b) => compareIp(a.network.base, b.network.base) || a.network.prefix - b.network.prefix,
  );
  let open: Reached[] = [];
  for (const next of ordered) {
    open = open.filter(({ network }) => cidrCovers(network, next.network));
    for (const outer of open) yield [outer, next];
    open.push(next);
  }
}

function placeId({ resource, field }: Reached): string {
  return `${resourceId(resource)} ${field}`;
}

function nameOf({ network, resource }: Reached): string {
  return `${formatCidr(network)} of ${resourceId(resource)}`;
}
