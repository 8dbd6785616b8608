import { parseIp, type Ip } from '../../lib/ip.ts';
import { resourceId, scopedName, type Resource, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
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

/** Every claim on an address of a subnet, whether or not it lies in the subnet. */
export function addressClaims(set: ResourceSet): readonly AddressClaim[] {
  const topology = topologyOf(set);
  return [
    ...set.all('Subnet').flatMap((subnet) => gatewayClaims(topology, subnet)),
    ...set.all('Vpc').flatMap((vpc) => routerClaims(set, vpc)),
    ...set.all('Port').flatMap((port) => portClaims(set, port)),
    ...set.all('Eip').flatMap((eip) => {
      return claim(set, eip.spec.subnet, eip.spec.address, {
        role: 'eip',
        owner: resourceId(eip),
        resource: eip,
        field: 'spec.address',
      });
    }),
    ...set.all('LoadBalancer').flatMap((balancer) => balancerClaims(set, topology, balancer)),
    ...set.all('AddressLock').flatMap((lock) => lockClaims(set, lock)),
  ];
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

function lockClaims(set: ResourceSet, lock: ResourceOf<'AddressLock'>): readonly AddressClaim[] {
  return Object.entries(lock.spec.ports).flatMap(([name, addresses]) => {
    const port = set.get('Port', name);
    if (port === undefined) return [];
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

/** Where addresses must differ: a VLAN of a physical network, or the subnet alone. */
export function segmentOf(set: ResourceSet, subnet: ResourceOf<'Subnet'>): string {
  const { provider } = subnet.spec;
  const network = provider === undefined ? undefined : set.get('ProviderNetwork', provider.network);
  return network === undefined
    ? `subnet ${subnet.name}`
    : `${network.spec.physicalNetwork} ${provider?.vlan ?? 0}`;
}
