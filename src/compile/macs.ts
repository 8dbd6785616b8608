import { sha256Hex } from '../lib/hash.ts';

/**
 * The MAC address of something that has none of its own: a function of its identity, so that a rebuild gives the same.
 * Locally administered unicast (IEEE 802: the second lowest bit of the first octet set, the lowest clear).
 */
export function macOf(kind: 'router' | 'peering' | 'nat' | 'dhcp', identity: string): string {
  return macFromDigest(sha256Hex(`mac/${kind}/${identity}`));
}

/** The MAC address that belongs to a digest of an identity. */
export function macFromDigest(digest: string): string {
  return `0a:${digest.slice(0, 2)}:${digest.slice(2, 4)}:${digest.slice(4, 6)}:${digest.slice(6, 8)}:${digest.slice(8, 10)}`;
}
