import { hostRangeOf, parseCidr, type Cidr } from '../../lib/cidr.ts';
import { parseIp, type Family, type Ip } from '../../lib/ip.ts';
import type { ResourceOf } from '../../model/resource.ts';

/** One family of a subnet. */
export interface SubnetNetwork {
  readonly subnet: ResourceOf<'Subnet'>;
  readonly family: Family;
  readonly cidr: Cidr;
  /** The field that the CIDR is written in. */
  readonly field: string;
  /** As written, or the first host. */
  readonly gateway: Ip;
  readonly gatewayField: string;
}

/** The networks of a subnet, in the order of its `cidrs`. */
export function networksOf(subnet: ResourceOf<'Subnet'>): readonly SubnetNetwork[] {
  const gateways = (subnet.spec.gateways ?? []).map((text) => parseIp(text));
  return subnet.spec.cidrs.flatMap((text, index) => {
    const parsed = parseCidr(text);
    if (!parsed.ok) return [];
    const cidr = parsed.value;
    const written = gateways.findIndex((gateway) => gateway.ok && gateway.value.family === cidr.family);
    const gateway = gateways[written];
    return [
      {
        subnet,
        family: cidr.family,
        cidr,
        field: `spec.cidrs[${index}]`,
        gateway:
          gateway?.ok === true ? gateway.value : { family: cidr.family, value: hostRangeOf(cidr).first },
        gatewayField: written < 0 ? `spec.cidrs[${index}]` : `spec.gateways[${written}]`,
      },
    ];
  });
}

/** True for a subnet that VPCs can be joined to: on a physical network, and with gateways that are not ours. */
export function isExternal(subnet: ResourceOf<'Subnet'>): boolean {
  return subnet.spec.provider !== undefined && subnet.spec.vpc === undefined;
}
