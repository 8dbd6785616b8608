import { sha256Hex } from '../lib/hash.ts';

/*
 * MAC addresses of what has none of its own: a function of identity, so that a rebuild gives the same. Locally
 * administered unicast (IEEE 802: the second lowest bit of the first octet set, the lowest clear).
 */

/** Of a Port, from the digest of its name. */
export function portMac(digest: string): string {
  return `0a:${digest.slice(0, 2)}:${digest.slice(2, 4)}:${digest.slice(4, 6)}:${digest.slice(6, 8)}:${digest.slice(8, 10)}`;
}

/** Of a VPC's router on a subnet. */
export function routerMac(vpc: string, subnet: string): string {
  return macOf('router', `${vpc}/${subnet}`);
}

/** Of a VPC's router on the link of a peering. */
export function peeringMac(peering: string, vpc: string): string {
  return macOf('peering', `${peering}/${vpc}`);
}

/** Of a distributed NAT's external address. */
export function natMac(nat: string): string {
  return macOf('nat', nat);
}

/** Of the DHCP server on a subnet without a router. */
export function dhcpServerMac(subnet: string): string {
  return macOf('dhcp', subnet);
}

function macOf(kind: string, identity: string): string {
  return portMac(sha256Hex(`mac/${kind}/${identity}`));
}
