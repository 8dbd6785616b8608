import { cidrContains } from '../../lib/cidr.ts';
import { equalIp, formatIp, type Family, type Ip } from '../../lib/ip.ts';
import type { ResourceOf } from '../../model/resource.ts';
import type { Finding } from '../diagnose.ts';
import type { Unread } from '../unread.ts';
import { connectionTo, type Topology } from '../topology/topology.ts';

/** What is wrong with a next hop of a VPC's router: OVN skips one that is on no connected network. */
export function hopProblem(
  topology: Topology,
  vpc: ResourceOf<'Vpc'>,
  hop: Ip,
  family: Family | undefined,
  unread: Unread,
): Omit<Finding, 'field'> | undefined {
  const text = formatIp(hop);
  if (family !== undefined && hop.family !== family) {
    const message = `the next hop ${text} is IPv${hop.family}, what it is for is IPv${family}`;
    return { code: 'RTE502', message, hint: `Name an IPv${family} next hop.` };
  }
  const connections = topology.connectionsOf(vpc.name);
  if (connectionTo(hop, connections) !== undefined) return undefined;
  const own = connections.find(({ address }) => equalIp(address, hop));
  if (own !== undefined) {
    const message = `the next hop ${text} is the router itself`;
    const related = [{ resource: own.resource, field: own.field, message: 'its address is here' }];
    return { code: 'RTE501', message, hint: 'Name another machine of that network.', related };
  }
  if (unread.connects(vpc)) return undefined;
  const outside = connections.every(({ network }) => !cidrContains(network, hop));
  const message = outside
    ? `the next hop ${text} is on no network that the router of ${vpc.name} is connected to`
    : `the next hop ${text} cannot be reached`;
  return {
    code: 'RTE501',
    message,
    hint: 'Name an address of one of its subnets, peering links or external subnets.',
  };
}
