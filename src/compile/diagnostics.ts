import { formatCidr } from '../lib/cidr.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Resource, ResourceOf } from '../model/resource.ts';
import { resourceId } from '../model/resource.ts';
import type { SubnetNetwork } from './topology.ts';

/** A Port for which no address is free. */
export function poolExhausted(
  port: ResourceOf<'Port'>,
  subnet: ResourceOf<'Subnet'>,
  network: SubnetNetwork,
): Diagnostic {
  const field = 'spec.subnet';
  return {
    code: 'ADR407',
    severity: 'error',
    message: `${resourceId(port)} gets no IPv${network.family} address: ${formatCidr(network.cidr)} of ${resourceId(subnet)} has none free`,
    place: port.origin.placeOf(field),
    field,
    excerpt: port.origin.excerptOf(field),
    hint: 'Make the subnet larger, exclude less, or move ports to another subnet.',
    related: [{ place: subnet.origin.placeOf('spec.cidrs'), message: 'the subnet' }],
  };
}

/** A Port whose MAC address something else on its switch has. */
export function macCollision(port: ResourceOf<'Port'>, other: Resource, mac: string): Diagnostic {
  const field = port.spec.mac === undefined ? '' : 'spec.mac';
  return {
    code: 'ADR410',
    severity: 'error',
    message: `${resourceId(port)} and ${resourceId(other)} have the MAC address ${mac} on one switch`,
    place: port.origin.placeOf(field),
    field,
    excerpt: port.origin.excerptOf(field),
    hint: 'Set spec.mac of the Port to an address that is not in use on the subnet.',
    related: [{ place: other.origin.place, message: 'has the same MAC address' }],
  };
}
