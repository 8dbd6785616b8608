import type { Diagnostic } from '../model/diagnostic.ts';
import type { Resource } from '../model/resource.ts';
import type { PortAddresses } from './addresses.ts';
import { macCollision } from './diagnostics.ts';
import { dhcpServerMac, natMac, routerMac } from './macs.ts';
import type { SubnetNode, Topology } from './topology.ts';
import { append, found } from './topology.ts';

/** Whose MAC address it is. */
type Owner = readonly [mac: string, resource: Resource];

/** Ports whose MAC address another port, a router, a translated address or OVN itself has on the same switch. */
export function macCollisions(
  topology: Topology,
  addresses: ReadonlyMap<string, PortAddresses>,
): readonly Diagnostic[] {
  const infrastructure = infrastructureMacs(topology);
  return [...topology.subnets.values()].flatMap((subnet) =>
    collisionsOn(subnet, infrastructure.get(subnet.name) ?? [], addresses),
  );
}

function collisionsOn(
  subnet: SubnetNode,
  infrastructure: readonly Owner[],
  addresses: ReadonlyMap<string, PortAddresses>,
): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const owners = new Map<string, Resource>(infrastructure);
  for (const port of subnet.ports) {
    const { mac } = found(addresses, port.name);
    const other = owners.get(mac);
    if (other === undefined) owners.set(mac, port.resource);
    else diagnostics.push(macCollision(port.resource, other, mac));
  }
  return diagnostics;
}

function infrastructureMacs(topology: Topology): ReadonlyMap<string, readonly Owner[]> {
  const macs = new Map<string, Owner[]>();
  for (const { name, vpc, resource } of topology.subnets.values()) {
    append(macs, name, [vpc === undefined ? dhcpServerMac(name) : routerMac(vpc, name), resource]);
  }
  for (const vpc of topology.vpcs.values()) {
    for (const { subnet } of vpc.externals) {
      append(macs, subnet.name, [routerMac(vpc.name, subnet.name), vpc.resource]);
    }
  }
  for (const nat of topology.set.all('Nat')) {
    const eip = topology.set.get('Eip', nat.spec.eip);
    if (eip !== undefined) append(macs, eip.spec.subnet, [natMac(nat.name), nat]);
  }
  return macs;
}
