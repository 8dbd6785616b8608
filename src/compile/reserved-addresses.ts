import { cidrContains } from '../lib/cidr.ts';
import type { Ip } from '../lib/ip.ts';
import { ipOf } from './text.ts';
import type { Topology } from './topology.ts';
import { append } from './topology.ts';

/**
 * The addresses in each subnet that something other than a Port holds: routers on external subnets, Eips, sources of
 * health checks and virtual addresses. None of them is given out automatically.
 */
export function reservedAddresses(topology: Topology): ReadonlyMap<string, readonly Ip[]> {
  const reserved = new Map<string, Ip[]>();
  for (const vpc of topology.vpcs.values()) {
    for (const { spec, subnet } of vpc.externals) {
      for (const address of spec.addresses) append(reserved, subnet.name, ipOf(address));
    }
  }
  for (const { spec } of topology.set.all('Eip')) append(reserved, spec.subnet, ipOf(spec.address));
  for (const { spec } of topology.set.all('LoadBalancer')) {
    for (const { subnet, address } of spec.healthCheck?.sources ?? []) {
      append(reserved, subnet, ipOf(address));
    }
    if (spec.vip !== undefined) {
      const vip = ipOf(spec.vip);
      for (const subnet of topology.vpcs.get(spec.vpc)?.subnets ?? []) {
        if (subnet.networks.some(({ cidr }) => cidrContains(cidr, vip))) append(reserved, subnet.name, vip);
      }
    }
  }
  return reserved;
}
