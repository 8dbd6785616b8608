import { cidrCovers, cidrsOverlap, formatCidr, parseCidr, type Cidr } from '../../lib/cidr.ts';
import { invariant } from '../../lib/invariant.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { topologyOf } from '../topology/topology.ts';
import type { Part } from '../parts.ts';

/** Networks whose addresses no port can have (RFC 6890). */
const SPECIAL: readonly (readonly [Cidr, string])[] = [
  [constant('0.0.0.0/8'), 'means "this network"'],
  [constant('127.0.0.0/8'), 'is loopback'],
  [constant('224.0.0.0/4'), 'is multicast'],
  [constant('240.0.0.0/4'), 'is reserved'],
  [constant('::/128'), 'means "no address"'],
  [constant('::1/128'), 'is loopback'],
  [constant('fe80::/10'), 'is link-local, which every interface has by itself'],
  [constant('ff00::/8'), 'is multicast'],
];

/** A subnet's addresses are unicast and mean one place. */
export function* specialNetworks(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  const topology = topologyOf(set);
  for (const subnet of part.all('Subnet')) {
    for (const { cidr, field } of topology.networksOf(subnet.name)) {
      const special = SPECIAL.find(([network]) => cidrsOverlap(network, cidr));
      if (special === undefined) continue;
      const [network, meaning] = special;
      const relation = cidrCovers(network, cidr) ? 'is part of' : 'contains';
      const message = `${formatCidr(cidr)} ${relation} ${formatCidr(network)}, which ${meaning}`;
      yield diagnose(subnet, { code: 'ADR405', field, message, hint: 'Choose another network.' });
    }
  }
}

function constant(text: string): Cidr {
  const cidr = parseCidr(text);
  invariant(cidr.ok, `${text} is a network`);
  return cidr.value;
}
