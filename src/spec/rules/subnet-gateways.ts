import {
  cidrContains,
  formatCidr,
  hostRangeOf,
  isBroadcastAddress,
  isNetworkAddress,
  type Cidr,
} from '../../lib/cidr.ts';
import { formatIp, parseIp, type Ip } from '../../lib/ip.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { parsedList } from '../topology/parsed.ts';
import { topologyOf } from '../topology/topology.ts';
import type { Part } from '../parts.ts';

/**
 * A gateway is a usable address of its subnet: the router port's network is gateway/prefix, so a gateway outside would
 * make another network, and one on the broadcast address could not even answer (RFC 919; IPv6 has none, RFC 4291 2).
 * A routed subnet has room for a gateway and at least one port.
 */
export function* subnetGateways(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  const topology = topologyOf(set);
  for (const subnet of part.all('Subnet')) {
    const networks = topology.networksOf(subnet.name);
    for (const { cidr, field } of networks) {
      const hosts = hostRangeOf(cidr);
      if (subnet.spec.vpc === undefined || hosts.last > hosts.first) continue;
      const message = `${formatCidr(cidr)} has one address, which the gateway needs`;
      yield diagnose(subnet, {
        code: 'ADR403',
        field,
        message,
        hint: 'Use a network of two addresses (/31, /127) or more.',
      });
    }
    for (const { text, index, value } of parsedList(subnet.spec.gateways ?? [], parseIp)) {
      const network = networks.find(({ family }) => family === value.family);
      const problem =
        network === undefined
          ? `has no IPv${value.family} network to be in`
          : addressProblem(network.cidr, value);
      if (problem === undefined) continue;
      const hint =
        network === undefined ? 'Add a CIDR of that family, or remove the gateway.' : hostHint(network.cidr);
      yield diagnose(subnet, {
        code: 'ADR402',
        field: `spec.gateways[${index}]`,
        message: `the gateway ${text} ${problem}`,
        hint,
      });
    }
  }
}

/** Why an address cannot be a host's on a network, as a predicate. */
export function addressProblem(cidr: Cidr, ip: Ip): string | undefined {
  if (!cidrContains(cidr, ip)) return `is not in ${formatCidr(cidr)}`;
  if (isNetworkAddress(cidr, ip)) {
    return cidr.family === 4
      ? `is the network address of ${formatCidr(cidr)}`
      : `is the subnet-router anycast address of ${formatCidr(cidr)}`;
  }
  return isBroadcastAddress(cidr, ip) ? `is the broadcast address of ${formatCidr(cidr)}` : undefined;
}

/** Says which addresses a network has for hosts. */
export function hostHint(cidr: Cidr): string {
  const { family, first, last } = hostRangeOf(cidr);
  return `Choose one of ${formatIp({ family, value: first })}..${formatIp({ family, value: last })}.`;
}
