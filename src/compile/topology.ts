import type { Cidr } from '../lib/cidr.ts';
import { hostRangeOf } from '../lib/cidr.ts';
import { sha256Hex } from '../lib/hash.ts';
import type { Family, Ip } from '../lib/ip.ts';
import { invariant } from '../lib/invariant.ts';
import type { RowKey, UnitName } from '../model/nb.ts';
import { GLOBAL_UNIT, vpcUnit } from '../model/nb.ts';
import type { ResourceOf } from '../model/resource.ts';
import { scopedName } from '../model/resource.ts';
import type { ResourceSet } from '../model/resource-set.ts';
import type { VpcExternalSpec } from '../model/specs.ts';
import { portKey } from './names.ts';
import { cidrOf, ipOf } from './text.ts';

/** One family of a subnet. */
export interface SubnetNetwork {
  readonly family: Family;
  readonly cidr: Cidr;
  readonly gateway: Ip;
}

export interface SubnetNode {
  readonly resource: ResourceOf<'Subnet'>;
  readonly name: string;
  /** The VPC whose router is the gateway. */
  readonly vpc: string | undefined;
  readonly unit: UnitName;
  /** In order of family. */
  readonly networks: readonly SubnetNetwork[];
  /** In canonical order. */
  readonly ports: readonly PortNode[];
}

export interface PortNode {
  readonly resource: ResourceOf<'Port'>;
  /** `namespace/name` or `name`. */
  readonly name: string;
  readonly key: RowKey;
  /** The name of its logical switch port. */
  readonly logicalPort: string;
  /** A digest of the name, 64 hex digits: where what is given to the port automatically comes from. */
  readonly digest: string;
  readonly subnet: string;
}

export interface VpcNode {
  readonly resource: ResourceOf<'Vpc'>;
  readonly name: string;
  readonly unit: UnitName;
  readonly subnets: readonly SubnetNode[];
  readonly externals: readonly { readonly spec: VpcExternalSpec; readonly subnet: SubnetNode }[];
  /** VPCs that a Peering joins with this one, in canonical order. */
  readonly peers: readonly string[];
}

/** Who is joined with whom: the resources with their references followed. */
export interface Topology {
  readonly set: ResourceSet;
  readonly vpcs: ReadonlyMap<string, VpcNode>;
  readonly subnets: ReadonlyMap<string, SubnetNode>;
  readonly ports: ReadonlyMap<string, PortNode>;
}

/** Follows the references of all resources once. */
export function buildTopology(set: ResourceSet): Topology {
  const ports = new Map<string, PortNode>();
  const portsBySubnet = new Map<string, PortNode[]>();
  for (const resource of set.all('Port')) {
    const port = portNode(resource);
    ports.set(port.name, port);
    append(portsBySubnet, port.subnet, port);
  }
  const subnets = new Map<string, SubnetNode>();
  const subnetsByVpc = new Map<string, SubnetNode[]>();
  for (const resource of set.all('Subnet')) {
    const subnet = subnetNode(resource, portsBySubnet.get(resource.name) ?? []);
    subnets.set(subnet.name, subnet);
    if (subnet.vpc !== undefined) append(subnetsByVpc, subnet.vpc, subnet);
  }
  const peers = peersByVpc(set);
  const vpcs = new Map<string, VpcNode>();
  for (const resource of set.all('Vpc')) {
    vpcs.set(resource.name, {
      resource,
      name: resource.name,
      unit: vpcUnit(resource.name),
      subnets: subnetsByVpc.get(resource.name) ?? [],
      externals: (resource.spec.external ?? []).map((spec) => ({
        spec,
        subnet: found(subnets, spec.subnet),
      })),
      peers: [...(peers.get(resource.name) ?? [])].toSorted(),
    });
  }
  return { set, vpcs, subnets, ports };
}

/** The node of that name; validation has proven that it exists. */
export function found<T>(nodes: ReadonlyMap<string, T>, name: string): T {
  const node = nodes.get(name);
  if (node === undefined) invariant(false, `no ${name}`);
  return node;
}

/** The families that any of the subnets has. */
export function familiesOf(subnets: readonly SubnetNode[]): ReadonlySet<Family> {
  return new Set(subnets.flatMap(({ networks }) => networks.map(({ family }) => family)));
}

/** Adds to the list of a key. */
export function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function portNode(resource: ResourceOf<'Port'>): PortNode {
  const name = scopedName(resource);
  const { subnet, interfaceId } = resource.spec;
  return {
    resource,
    name,
    key: portKey(name),
    logicalPort: interfaceId ?? name,
    digest: sha256Hex(`port/${name}`),
    subnet,
  };
}

function subnetNode(resource: ResourceOf<'Subnet'>, ports: readonly PortNode[]): SubnetNode {
  const { vpc, cidrs, gateways = [] } = resource.spec;
  const given = gateways.map(ipOf);
  const networks = cidrs.map((text): SubnetNetwork => {
    const cidr = cidrOf(text);
    const { family } = cidr;
    const first: Ip = { family, value: hostRangeOf(cidr).first };
    return { family, cidr, gateway: given.find((gateway) => gateway.family === family) ?? first };
  });
  return {
    resource,
    name: resource.name,
    vpc,
    unit: vpc === undefined ? GLOBAL_UNIT : vpcUnit(vpc),
    networks: networks.toSorted((a, b) => a.family - b.family),
    ports,
  };
}

function peersByVpc(set: ResourceSet): ReadonlyMap<string, ReadonlySet<string>> {
  const peers = new Map<string, Set<string>>();
  for (const { spec } of set.all('Peering')) {
    const [a, b] = spec.ends;
    peers.set(a.vpc, (peers.get(a.vpc) ?? new Set()).add(b.vpc));
    peers.set(b.vpc, (peers.get(b.vpc) ?? new Set()).add(a.vpc));
  }
  return peers;
}
