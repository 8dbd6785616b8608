import { parseInterface } from '../../lib/cidr.ts';
import { equalIp, formatIp, parseIp } from '../../lib/ip.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { resourceId } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { parsed, parsedList } from '../topology/parsed.ts';
import { topologyOf } from '../topology/topology.ts';
import type { Part } from '../parts.ts';

/**
 * A virtual address is none of the addresses on the links of the VPC's peerings: the balancer would take what is meant for
 * a router. Addresses of subnets are looked at where all claims on them are.
 */
export function* virtualAddresses(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  for (const balancer of part.all('LoadBalancer')) {
    const { vip, vpc } = balancer.spec;
    for (const ip of vip === undefined ? [] : parsed(parseIp(vip))) {
      for (const { peering } of topologyOf(set).sidesOf(vpc)) {
        for (const [side, end] of peering.spec.ends.entries()) {
          const taken = parsedList(end.addresses, parseInterface).find(({ value }) => equalIp(value.ip, ip));
          if (taken === undefined) continue;
          const message = `${formatIp(ip)} is already the address of ${end.vpc} on the link of ${resourceId(peering)}`;
          const field = `spec.ends[${side}].addresses[${taken.index}]`;
          yield diagnose(balancer, {
            code: 'LBR753',
            field: 'spec.vip',
            message,
            hint: 'Choose an address that nothing else has.',
            related: [{ resource: peering, field, message: `${formatIp(ip)} is taken here` }],
          });
        }
      }
    }
  }
}
