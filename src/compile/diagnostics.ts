import { formatCidr } from '../lib/cidr.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { ResourceOf } from '../model/resource.ts';
import { resourceId } from '../model/resource.ts';
import type { PortAddresses } from './addresses.ts';
import { macOf } from './macs.ts';
import type { SubnetNetwork, SubnetNode } from './topology.ts';

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
    message: `${resourceId(port)} gets no IPv${network.family} address: ${formatCidr(network.cidr)} of ${resourceId(subnet)} has none free.`,
    place: port.origin.placeOf(field),
    field,
    excerpt: port.origin.excerptOf(field),
    hint: 'Make the subnet larger, exclude less, or move ports to another subnet.',
    related: [{ place: subnet.origin.placeOf('spec.cidrs'), message: 'the subnet' }],
  };
}

/** Ports of one subnet whose MAC addresses meet each other's or the router's. */
export function macCollisions(
  subnet: SubnetNode,
  addresses: ReadonlyMap<string, PortAddresses>,
): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const owners = new Map<string, ResourceOf<'Port' | 'Subnet'>>();
  if (subnet.vpc !== undefined) owners.set(macOf('router', `${subnet.vpc}/${subnet.name}`), subnet.resource);
  for (const port of subnet.ports) {
    const mac = addresses.get(port.name)?.mac ?? '';
    const other = owners.get(mac);
    if (other === undefined) owners.set(mac, port.resource);
    else diagnostics.push(macCollision(port.resource, other, mac));
  }
  return diagnostics;
}

function macCollision(
  port: ResourceOf<'Port'>,
  other: ResourceOf<'Port' | 'Subnet'>,
  mac: string,
): Diagnostic {
  const field = port.spec.mac === undefined ? '' : 'spec.mac';
  return {
    code: 'ADR410',
    severity: 'error',
    message: `${resourceId(port)} and ${resourceId(other)} have the MAC address ${mac} on one switch.`,
    place: port.origin.placeOf(field),
    field,
    excerpt: port.origin.excerptOf(field),
    hint: 'Set spec.mac of the Port to an address that is not in use on the subnet.',
    related: [{ place: other.origin.place, message: 'has the same MAC address' }],
  };
}

/** A backend that a health check can't probe, and that therefore always counts as good. */
export function uncheckedBackend(balancer: ResourceOf<'LoadBalancer'>, address: string): Diagnostic {
  const field = 'spec.healthCheck';
  return {
    code: 'LBR755',
    severity: 'warning',
    message: `${resourceId(balancer)} does not check the backend ${address}: it needs to be a Port, and a source in its subnet.`,
    place: balancer.origin.placeOf(field),
    field,
    excerpt: balancer.origin.excerptOf(field),
    hint: "Name a source in the backend's subnet, and make the backend a Port.",
    related: [],
  };
}
