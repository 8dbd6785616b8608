import { PLATFORM_ALLOW } from './acl-bands.ts';
import type { Acl, Direction } from './acl.ts';
import { allOf, memberTerm } from './match.ts';

const NEIGHBOURS = 'nd || nd_rs || nd_ra || mldv1 || mldv2';
const DHCP_REQUEST = '(udp.src == 68 && udp.dst == 67) || (udp.src == 546 && udp.dst == 547)';

/**
 * What a port needs to be on the network at all, above everything that drops `ip`: IPv6 neighbour discovery and
 * multicast listening, and asking for DHCP. OVN's own DHCP answers pass by themselves (ovn-northd(8)); those of others are
 * not let in, so that no neighbour can play the server.
 *
 * The action is allow-related for a reason: ovn-northd tracks connections on a switch only if one of its ACLs has it, and
 * without tracking a default drop would also drop the replies to what the port itself opened.
 */
export function platformAcl(direction: Direction, portGroup: string): Acl {
  const traffic = direction === 'ingress' ? NEIGHBOURS : `${NEIGHBOURS} || ${DHCP_REQUEST}`;
  return {
    id: 'platform',
    direction,
    priority: PLATFORM_ALLOW,
    match: allOf(memberTerm(direction, portGroup), `(${traffic})`),
    action: 'allow-related',
  };
}

/** What happens to IP traffic that no rule of the direction speaks of. ARP is not IP. */
export function defaultDrop(direction: Direction, portGroup: string, priority: number): Acl {
  return {
    id: 'default',
    direction,
    priority,
    match: allOf(memberTerm(direction, portGroup), 'ip'),
    action: 'drop',
  };
}
