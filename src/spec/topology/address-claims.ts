import { parseIp, type Ip } from '../../lib/ip.ts';
import { inOrder } from '../../model/relation-index.ts';
import {
  BALANCERS_OF_VPC,
  BALANCERS_PROBING_SUBNET,
  EIPS_OF_SUBNET,
  PORTS_OF_SUBNET,
  type Relation,
  VPCS_ON_SUBNET,
} from '../../model/relations.ts';
import { resourceId, scopedName, type Resource, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import type { Kind } from '../../model/specs.ts';
import { parsed, parsedList } from './parsed.ts';
import { isExternal } from './subnet-networks.ts';
import { topologyOf, type Topology } from './topology.ts';

/** Somebody says that an address of a subnet is theirs. */
export interface AddressClaim {
  readonly subnet: ResourceOf<'Subnet'>;
  readonly ip: Ip;
  readonly text: string;
  readonly role: 'gateway' | 'port' | 'router' | 'eip' | 'health check' | 'virtual address' | 'lock';
  /** Two claims of one owner do not collide. */
  readonly owner: string;
  readonly resource: Resource;
  readonly field: string;
}

/** Every claim on an address of one of the subnets, whether or not it lies in the subnet. */
export function addressClaims(
  set: ResourceSet,
  subnets: readonly ResourceOf<'Subnet'>[],
): readonly AddressClaim[] {
  const topology = topologyOf(set);
  const relatedTo = <K extends Kind>(relation: Relation<K>): readonly ResourceOf<K>[] => {
    const all = subnets.flatMap(({ name }) => set.related(relation, name));
    return subnets.length === 1 ? all : inOrder([...new Set(all)]);
  };
  const ports = relatedTo(PORTS_OF_SUBNET);
  const claims = [
    ...subnets.flatMap((subnet) => gatewayClaims(topology, subnet)),
    ...relatedTo(VPCS_ON_SUBNET).flatMap((vpc) => routerClaims(set, vpc)),
    ...ports.flatMap((port) => portClaims(set, port)),
    ...relatedTo(EIPS_OF_SUBNET).flatMap((eip) => eipClaims(set, eip)),
    ...balancersNear(set, topology, subnets).flatMap((balancer) => balancerClaims(set, topology, balancer)),
    ...set.all('AddressLock').flatMap((lock) => lockClaims(set, lock, ports)),
  ];
  const names = new Set(subnets.map(({ name }) => name));
  return claims.filter(({ subnet }) => names.has(subnet.name));
}

type Claimant = Pick<AddressClaim, 'role' | 'owner' | 'resource' | 'field'>;

function claim(
  set: ResourceSet,
  subnetName: string,
  text: string,
  claimant: Claimant,
): readonly AddressClaim[] {
  const subnet = set.get('Subnet', subnetName);
  return subnet === undefined ? [] : parsed(parseIp(text)).map((ip) => ({ subnet, ip, text, ...claimant }));
}

/** A gateway of the physical network is one machine, however many subnets know of it. */
function gatewayClaims(topology: Topology, subnet: ResourceOf<'Subnet'>): readonly AddressClaim[] {
  if (subnet.spec.vpc === undefined && !isExternal(subnet) && subnet.spec.gateways === undefined) return [];
  const owner = subnet.spec.vpc === undefined ? 'physical gateway' : resourceId(subnet);
  return topology.networksOf(subnet.name).map(({ gateway, gatewayField }) => {
    return { subnet, ip: gateway, text: '', role: 'gateway', owner, resource: subnet, field: gatewayField };
  });
}

function routerClaims(set: ResourceSet, vpc: ResourceOf<'Vpc'>): readonly AddressClaim[] {
  return (vpc.spec.external ?? []).flatMap(({ subnet, addresses }, index) =>
    addresses.flatMap((text, at) => {
      const field = `spec.external[${index}].addresses[${at}]`;
      return claim(set, subnet, text, { role: 'router', owner: resourceId(vpc), resource: vpc, field });
    }),
  );
}

function eipClaims(set: ResourceSet, eip: ResourceOf<'Eip'>): readonly AddressClaim[] {
  const claimant: Claimant = { role: 'eip', owner: resourceId(eip), resource: eip, field: 'spec.address' };
  return claim(set, eip.spec.subnet, eip.spec.address, claimant);
}

function portClaims(set: ResourceSet, port: ResourceOf<'Port'>): readonly AddressClaim[] {
  return (port.spec.addresses ?? []).flatMap((text, index) => {
    const claimant: Claimant = {
      role: 'port',
      owner: resourceId(port),
      resource: port,
      field: `spec.addresses[${index}]`,
    };
    return claim(set, port.spec.subnet, text, claimant);
  });
}

/** Those with a source of health checks on the subnets, or whose virtual address may lie there: of VPCs that reach them. */
function balancersNear(
  set: ResourceSet,
  topology: Topology,
  subnets: readonly ResourceOf<'Subnet'>[],
): readonly ResourceOf<'LoadBalancer'>[] {
  const probing = subnets.flatMap(({ name }) => set.related(BALANCERS_PROBING_SUBNET, name));
  const vpcs = subnets.flatMap(({ name, spec: { vpc } }) => [
    ...(vpc === undefined ? [] : [vpc, ...topology.peersOf(vpc)]),
    ...set.related(VPCS_ON_SUBNET, name).map((joined) => joined.name),
  ]);
  const balancing = [...new Set(vpcs)].flatMap((vpc) => set.related(BALANCERS_OF_VPC, vpc));
  return inOrder([...new Set([...probing, ...balancing])]);
}

/** Balancers of one VPC may share a virtual address, and balancers may share a source of health checks. */
function balancerClaims(
  set: ResourceSet,
  topology: Topology,
  balancer: ResourceOf<'LoadBalancer'>,
): readonly AddressClaim[] {
  const { vpc, vip, healthCheck } = balancer.spec;
  const sources = (healthCheck?.sources ?? []).flatMap(({ subnet, address }, index) => {
    const field = `spec.healthCheck.sources[${index}].address`;
    return claim(set, subnet, address, {
      role: 'health check',
      owner: 'health check',
      resource: balancer,
      field,
    });
  });
  const virtual = parsedList(vip === undefined ? [] : [vip], parseIp).flatMap(({ text, value: ip }) => {
    const claimant: Claimant = {
      role: 'virtual address',
      owner: `virtual address ${vpc}`,
      resource: balancer,
      field: 'spec.vip',
    };
    return topology.subnetsAround(vpc, ip).flatMap((subnet) => claim(set, subnet, text, claimant));
  });
  return [...sources, ...virtual];
}

function lockClaims(
  set: ResourceSet,
  lock: ResourceOf<'AddressLock'>,
  ports: readonly ResourceOf<'Port'>[],
): readonly AddressClaim[] {
  return ports.flatMap((port) => {
    const addresses = lockedAddresses(lock, scopedName(port));
    const fixed = new Set((port.spec.addresses ?? []).map(familyOf));
    return addresses.flatMap((text, index) => {
      // A fixed address wins; the entry pins nothing.
      if (fixed.has(familyOf(text))) return [];
      const field = `spec.ports[${JSON.stringify(scopedName(port))}][${index}]`;
      return claim(set, port.spec.subnet, text, {
        role: 'lock',
        owner: resourceId(port),
        resource: lock,
        field,
      });
    });
  });
}

function familyOf(text: string): 4 | 6 {
  return text.includes(':') ? 6 : 4;
}

/** What a lock says of a Port. */
export function lockedAddresses(lock: ResourceOf<'AddressLock'>, port: string): readonly string[] {
  return Object.hasOwn(lock.spec.ports, port) ? (lock.spec.ports[port] ?? []) : [];
}
