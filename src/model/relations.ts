import type { ResourceOf } from './resource.ts';
import type { Kind } from './specs.ts';

/** From a name to the resources of one kind that have to do with it. */
export interface Relation<K extends Kind> {
  readonly kind: K;
  /** The names that a resource has to do with. */
  readonly keysOf: (resource: ResourceOf<K>) => readonly string[];
}

/** Ports by their subnet. */
export const PORTS_OF_SUBNET: Relation<'Port'> = relation('Port', ({ spec }) => [spec.subnet]);

/** Ports by their namespace. */
export const PORTS_OF_NAMESPACE: Relation<'Port'> = relation('Port', ({ namespace }) => present(namespace));

/** Ports by the interface id that they are given. */
export const PORTS_OF_INTERFACE: Relation<'Port'> = relation('Port', ({ spec }) => present(spec.interfaceId));

/** Ports by the names of their ports: `PROTOCOL NAME`. */
export const PORTS_OF_SERVICE: Relation<'Port'> = relation('Port', ({ spec }) =>
  (spec.ports ?? []).map(({ name, protocol = 'tcp' }) => `${protocol} ${name}`),
);

/** Ports by the security groups that they name. */
export const PORTS_NAMING_GROUP: Relation<'Port'> = relation('Port', ({ spec }) => spec.securityGroups ?? []);

/** Subnets by their VPC; those without one under the empty name. */
export const SUBNETS_OF_VPC: Relation<'Subnet'> = relation('Subnet', ({ spec }) => [spec.vpc ?? '']);

/** Subnets by provider network and VLAN: `NETWORK VLAN`. */
export const SUBNETS_OF_VLAN: Relation<'Subnet'> = relation('Subnet', ({ spec }) =>
  spec.provider === undefined ? [] : [vlanKey(spec.provider.network, spec.provider.vlan)],
);

/** VPCs by the external subnets that their routers are joined to. */
export const VPCS_ON_SUBNET: Relation<'Vpc'> = relation('Vpc', ({ spec }) =>
  (spec.external ?? []).map(({ subnet }) => subnet),
);

/** Peerings by the VPCs that they join; not those of a VPC with itself. */
export const PEERINGS_OF_VPC: Relation<'Peering'> = relation('Peering', ({ spec: { ends } }) =>
  ends[0].vpc === ends[1].vpc ? [] : ends.map(({ vpc }) => vpc),
);

/** Peerings by both VPCs that they join, in canonical order: `ONE TWO`. */
export const PEERINGS_OF_PAIR: Relation<'Peering'> = relation('Peering', ({ spec }) => [pairKey(spec.ends)]);

/** Provider networks by what nodes call them. */
export const NETWORKS_OF_PHYSICAL: Relation<'ProviderNetwork'> = relation('ProviderNetwork', ({ spec }) => [
  spec.physicalNetwork,
]);

/** Eips by their subnet. */
export const EIPS_OF_SUBNET: Relation<'Eip'> = relation('Eip', ({ spec }) => [spec.subnet]);

/** NAT rules by their VPC. */
export const NATS_OF_VPC: Relation<'Nat'> = relation('Nat', ({ spec }) => [spec.vpc]);

/** NAT rules by their Eip. */
export const NATS_OF_EIP: Relation<'Nat'> = relation('Nat', ({ spec }) => [spec.eip]);

/** Load balancers by their VPC. */
export const BALANCERS_OF_VPC: Relation<'LoadBalancer'> = relation('LoadBalancer', ({ spec }) => [spec.vpc]);

/** Load balancers by their Eip. */
export const BALANCERS_OF_EIP: Relation<'LoadBalancer'> = relation('LoadBalancer', ({ spec }) =>
  present(spec.eip),
);

/** Load balancers by the subnets in which they have a source of health checks. */
export const BALANCERS_PROBING_SUBNET: Relation<'LoadBalancer'> = relation('LoadBalancer', ({ spec }) =>
  (spec.healthCheck?.sources ?? []).map(({ subnet }) => subnet),
);

/** Security groups by their VPC. */
export const GROUPS_OF_VPC: Relation<'SecurityGroup'> = relation('SecurityGroup', ({ spec }) => [spec.vpc]);

/** Network policies by their namespace. */
export const POLICIES_OF_NAMESPACE: Relation<'NetworkPolicy'> = relation('NetworkPolicy', ({ namespace }) =>
  present(namespace),
);

/** The key of a provider network and VLAN; untagged is VLAN 0. */
export function vlanKey(network: string, vlan: number = 0): string {
  return `${network} ${vlan}`;
}

/** The key of two VPCs, whichever comes first. */
export function pairKey(ends: readonly { readonly vpc: string }[]): string {
  return ends
    .map(({ vpc }) => vpc)
    .toSorted()
    .join(' ');
}

function relation<K extends Kind>(kind: K, keysOf: Relation<K>['keysOf']): Relation<K> {
  return { kind, keysOf };
}

function present(name: string | undefined): readonly string[] {
  return name === undefined ? [] : [name];
}
