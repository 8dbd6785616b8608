import { complementCidrs, formatCidr } from '../lib/cidr.ts';
import type { Cidr } from '../lib/cidr.ts';
import type { Family } from '../lib/ip.ts';
import { ISOLATION_DROP } from './acl-bands.ts';
import type { Acl, Direction } from './acl.ts';
import { addAcls } from './acl.ts';
import type { Compilation } from './compilation.ts';
import { switchKey } from './names.ts';
import { cidrOf } from './text.ts';
import type { SubnetNode } from './topology.ts';

/**
 * What stays on the link anyway and must not be dropped with the rest: as source of those who have no address yet (DHCP,
 * duplicate address detection), as destination broadcast and multicast, and IPv6 link-local ones as both.
 */
const ON_LINK: Readonly<Record<Direction, readonly Cidr[]>> = {
  ingress: ['0.0.0.0/8', '::/16', 'fe80::/10'].map(cidrOf),
  egress: ['224.0.0.0/4', '255.0.0.0/8', 'fe80::/10', 'ff00::/8'].map(cidrOf),
};
const EVERYTHING: Readonly<Record<Family, Cidr>> = { 4: cidrOf('0.0.0.0/0'), 6: cidrOf('::/0') };

/**
 * A private subnet's ports talk only to the subnet and to what it allows, in both directions. Written as drops of
 * everything else, so that what is allowed still has to pass security groups and policies. Addresses alone decide: they
 * say the same at the router's port and at the ports of the subnet.
 */
export function compileIsolation(subnet: SubnetNode, { rows }: Compilation): void {
  const { isolation } = subnet.resource.spec;
  if (isolation?.mode !== 'private') return;
  const allowed = [...subnet.networks.map(({ cidr }) => cidr), ...(isolation.allow ?? []).map(cidrOf)];
  const acls = ([4, 6] as const).flatMap((family) => [
    ...dropOthers('ingress', family, allowed),
    ...dropOthers('egress', family, allowed),
  ]);
  addAcls(
    {
      path: ['Subnet', subnet.name],
      parent: switchKey(subnet.name),
      unit: subnet.unit,
      from: subnet.resource,
    },
    acls,
    rows,
  );
}

function dropOthers(direction: Direction, family: Family, allowed: readonly Cidr[]): readonly Acl[] {
  const others = complementCidrs(EVERYTHING[family], [...ON_LINK[direction], ...allowed]);
  if (others.length === 0) return [];
  const field = `ip${family}.${direction === 'ingress' ? 'src' : 'dst'}`;
  return [
    {
      id: `isolation/ip${family}`,
      direction,
      priority: ISOLATION_DROP,
      match: `${field} == {${others.map(formatCidr).join(', ')}}`,
      action: 'drop',
    },
  ];
}
