import type { Diagnostic } from '../model/diagnostic.ts';
import { EIPS_OF_SUBNET, NATS_OF_EIP, VPCS_ON_SUBNET } from '../model/relations.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceSet } from '../model/resource-set.ts';
import { macCollision } from './diagnostics.ts';
import { dhcpServerMac, natMac, routerMac } from './macs.ts';
import type { PortNode, SubnetNode } from './topology.ts';

/** Whose MAC address it is. */
type Owner = readonly [mac: string, resource: Resource];

/** Ports whose MAC address another port, a router, a translated address or OVN itself has on the same switch. */
export function macCollisions(
  subnet: SubnetNode,
  macs: Iterable<readonly [port: PortNode, mac: string]>,
  set: ResourceSet,
): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const owners = new Map<string, Resource>(infrastructureMacs(subnet, set));
  for (const [{ resource }, mac] of macs) {
    const other = owners.get(mac);
    if (other === undefined) owners.set(mac, resource);
    else diagnostics.push(macCollision(resource, other, mac));
  }
  return diagnostics;
}

function infrastructureMacs({ name, vpc, resource }: SubnetNode, set: ResourceSet): readonly Owner[] {
  const routers = set.related(VPCS_ON_SUBNET, name);
  const nats = set.related(EIPS_OF_SUBNET, name).flatMap((eip) => set.related(NATS_OF_EIP, eip.name));
  return [
    [vpc === undefined ? dhcpServerMac(name) : routerMac(vpc, name), resource],
    ...routers.map((joined): Owner => [routerMac(joined.name, name), joined]),
    ...nats.map((nat): Owner => [natMac(nat.name), nat]),
  ];
}
