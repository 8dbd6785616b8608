import { GROUPS_OF_VPC, POLICIES_OF_NAMESPACE } from '../model/relations.ts';
import { requirementsOf } from '../model/selector.ts';
import { PLATFORM_ALLOW } from './acl-bands.ts';
import { addAcls } from './acl.ts';
import type { Compilation } from './compilation.ts';
import { switchKey } from './names.ts';
import type { SubnetNode } from './topology.ts';

const NEIGHBOURS = 'nd || nd_rs || nd_ra || mldv1 || mldv2';
const DHCP_REQUEST = '(udp.src == 68 && udp.dst == 67) || (udp.src == 546 && udp.dst == 547)';

/**
 * What ports need to be on the network at all, above everything that drops `ip`, on every switch with a port that a group
 * or policy guards: IPv6 neighbour discovery and multicast listening, and asking for DHCP. OVN's own DHCP answers pass by
 * themselves (ovn-northd(8)); those of others are not let in, so that no neighbour can play the server.
 *
 * The action is allow-related for a reason: ovn-northd tracks connections on a switch only if one of its ACLs has it, and
 * without tracking a default drop would also drop the replies to what the port itself opened.
 */
export function compilePlatform(subnet: SubnetNode, compilation: Compilation): void {
  if (!isGuarded(subnet, compilation)) return;
  const { name, unit, resource } = subnet;
  addAcls(
    { path: ['Subnet', name], parent: switchKey(name), unit, from: resource },
    [
      {
        id: 'platform',
        direction: 'ingress',
        priority: PLATFORM_ALLOW,
        match: NEIGHBOURS,
        action: 'allow-related',
      },
      {
        id: 'platform',
        direction: 'egress',
        priority: PLATFORM_ALLOW,
        match: `${NEIGHBOURS} || ${DHCP_REQUEST}`,
        action: 'allow-related',
      },
    ],
    compilation.rows,
  );
}

/** True when a group or policy has a port of the subnet as a member. */
function isGuarded({ name, vpc }: SubnetNode, { topology, indexOf }: Compilation): boolean {
  const { set } = topology;
  if (topology.portsOf(name).some(({ resource }) => (resource.spec.securityGroups ?? []).length > 0))
    return true;
  const index = indexOf(name);
  const groups = vpc === undefined ? [] : set.related(GROUPS_OF_VPC, vpc);
  return (
    groups.some(
      ({ spec: { selector } }) => selector !== undefined && index.select(requirementsOf(selector)).length > 0,
    ) ||
    index
      .namespaces()
      .some((namespace) =>
        set
          .related(POLICIES_OF_NAMESPACE, namespace)
          .some(({ spec }) => index.selectIn(namespace, requirementsOf(spec.podSelector)).length > 0),
      )
  );
}
