/**
 * Who decides on a packet, on the one line of priorities that ACLs have without tiers (OVN before 23.06): the highest
 * match is the verdict. A higher band therefore only says what it must, and lets everything else fall through.
 *
 *     30000  platform           neighbour discovery, MLD, DHCP
 *     24000  subnet isolation   drops what a private subnet does not talk to
 *      8000  security groups    rules from 15999 down to 14000, default drop at the bottom
 *      4000  network policies   allows above the default drop, so that policies add up
 */
export const PLATFORM_ALLOW = 30_000;
export const ISOLATION_DROP = 24_000;
export const GROUP_DEFAULT_DROP = 8_000;
export const POLICY_ALLOW = 6_000;
export const POLICY_DEFAULT_DROP = 4_000;

const GROUP_TOP = 16_000;

/**
 * The ACL priority of a security group rule of priority 1 (first) to 1000 (last). Each has two steps: of rules of one
 * priority, in whichever groups of a port, a drop wins over an allow.
 */
export function groupRulePriority(priority: number, action: 'allow' | 'drop'): number {
  return GROUP_TOP - 2 * priority + (action === 'drop' ? 1 : 0);
}
