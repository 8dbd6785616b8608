import type { Cidr } from '../lib/cidr.ts';
import { hostRangeOf } from '../lib/cidr.ts';
import { DerivedMap } from '../lib/derived-maps.ts';
import { sha256Hex } from '../lib/hash.ts';
import type { Family, Ip } from '../lib/ip.ts';
import { invariant } from '../lib/invariant.ts';
import type { RowKey, UnitName } from '../model/nb.ts';
import { GLOBAL_UNIT, vpcUnit } from '../model/nb.ts';
import { PEERINGS_OF_VPC, PORTS_NAMING_GROUP, PORTS_OF_SUBNET, SUBNETS_OF_VPC } from '../model/relations.ts';
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

/** Who is joined with whom: the resources with their references followed, each when it is first asked for. */
export class Topology {
  readonly set: ResourceSet;
  readonly #vpcs: DerivedMap<VpcNode>;
  readonly #subnets: DerivedMap<SubnetNode>;
  readonly #portsOf: DerivedMap<readonly PortNode[]>;
  readonly #ports = new WeakMap<ResourceOf<'Port'>, PortNode>();

  constructor(set: ResourceSet) {
    this.set = set;
    this.#vpcs = new DerivedMap((name) => this.#vpcNode(name));
    this.#subnets = new DerivedMap((name) => subnetNode(existing(name, set.get('Subnet', name))));
    this.#portsOf = new DerivedMap<readonly PortNode[]>((subnet) =>
      set.related(PORTS_OF_SUBNET, subnet).map((port) => this.#portNode(port)),
    );
  }

  /** The VPC of that name; validation has proven that it exists, as for all others. */
  vpc(name: string): VpcNode {
    return this.#vpcs.get(name);
  }

  subnet(name: string): SubnetNode {
    return this.#subnets.get(name);
  }

  /** The Port of that scoped name. */
  port(name: string): PortNode {
    return this.#portNode(existing(name, this.set.get('Port', name)));
  }

  /** The Ports on a subnet in canonical order. */
  portsOf(subnet: string): readonly PortNode[] {
    return this.#portsOf.get(subnet);
  }

  /** The Ports that name a security group. */
  portsNaming(group: string): readonly PortNode[] {
    return this.set.related(PORTS_NAMING_GROUP, group).map((port) => this.#portNode(port));
  }

  #vpcNode(name: string): VpcNode {
    const resource = existing(name, this.set.get('Vpc', name));
    const peers = this.set
      .related(PEERINGS_OF_VPC, name)
      .flatMap(({ spec }) => spec.ends.map(({ vpc }) => vpc).filter((vpc) => vpc !== name));
    return {
      resource,
      name,
      unit: vpcUnit(name),
      subnets: this.set.related(SUBNETS_OF_VPC, name).map((subnet) => this.subnet(subnet.name)),
      externals: (resource.spec.external ?? []).map((spec) => ({ spec, subnet: this.subnet(spec.subnet) })),
      peers: [...new Set(peers)].toSorted(),
    };
  }

  #portNode(resource: ResourceOf<'Port'>): PortNode {
    const node = this.#ports.get(resource) ?? portNode(resource);
    this.#ports.set(resource, node);
    return node;
  }
}

function existing<T>(name: string, resource: T | undefined): T {
  if (resource === undefined) invariant(false, `no ${name}`);
  return resource;
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

function subnetNode(resource: ResourceOf<'Subnet'>): SubnetNode {
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
  };
}
