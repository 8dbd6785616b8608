import { PLATFORM_ALLOW } from './acl-bands.ts';
import { addAcls } from './acl.ts';
import type { Compilation } from './compilation.ts';
import { switchKey } from './names.ts';
import { found } from './topology.ts';

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
export function compilePlatform(guardedSubnets: Iterable<string>, { topology, rows }: Compilation): void {
  for (const name of new Set(guardedSubnets)) {
    const { unit, resource } = found(topology.subnets, name);
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
      rows,
    );
  }
}
