import { cidrContains } from '../../lib/cidr.ts';
import { parseIp, type Family, type Ip } from '../../lib/ip.ts';
import type { ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { topologyOf } from './topology.ts';

/** What `internal` of a NAT rule or `target` of a backend means. */
export type Target =
  | {
      readonly kind: 'port';
      readonly port: ResourceOf<'Port'>;
      readonly vpc: string | undefined;
      readonly families: readonly Family[];
    }
  | { readonly kind: 'ip'; readonly ip: Ip };

/** Resolves a target; nothing when it names a Port or subnet that does not exist. */
export function targetOf(set: ResourceSet, text: string): Target | undefined {
  const ip = parseIp(text);
  if (ip.ok) return { kind: 'ip', ip: ip.value };
  const port = set.get('Port', text);
  const subnet = port === undefined ? undefined : set.get('Subnet', port.spec.subnet);
  if (port === undefined || subnet === undefined) return undefined;
  const families = topologyOf(set)
    .networksOf(subnet.name)
    .map(({ family }) => family);
  return { kind: 'port', port, vpc: subnet.spec.vpc, families };
}

/** True when the target is one of the VPC's own. */
export function isInVpc(set: ResourceSet, target: Target, vpc: string): boolean {
  if (target.kind === 'port') return target.vpc === vpc;
  return topologyOf(set)
    .ownNetworksOf(vpc)
    .some(({ cidr }) => cidrContains(cidr, target.ip));
}

/** True when the target has an address of that family. */
export function hasFamily(target: Target, family: Family): boolean {
  return target.kind === 'port' ? target.families.includes(family) : target.ip.family === family;
}
