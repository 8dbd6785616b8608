import { sha256Hex } from '../lib/hash.ts';

/**
 * The MAC address of something that has none of its own: a function of its identity, so that a rebuild gives the same.
 * Locally administered unicast (IEEE 802: the second lowest bit of the first octet set, the lowest clear).
 */
export function macOf(kind: 'port' | 'router' | 'peering' | 'nat' | 'dhcp', identity: string): string {
  const digits = sha256Hex(`mac/${kind}/${identity}`);
  return `0a:${digits.slice(0, 2)}:${digits.slice(2, 4)}:${digits.slice(4, 6)}:${digits.slice(6, 8)}:${digits.slice(8, 10)}`;
}
