import { DerivedMap } from '../../lib/derived-maps.ts';
import { cidrContains, parseCidr, parseInterface, type Cidr } from '../../lib/cidr.ts';
import { equalIp, parseIp, type Family, type Ip } from '../../lib/ip.ts';
import { PEERINGS_OF_VPC, SUBNETS_OF_VPC } from '../../model/relations.ts';
import type { Resource, ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { parsed } from './parsed.ts';
import { networksOf, type SubnetNetwork } from './subnet-networks.ts';

/** A network that a VPC's router has an address on. */
export interface Connection {
  readonly kind: 'subnet' | 'link' | 'external';
  readonly network: Cidr;
  /** The subnet or peering that it is of. */
  readonly of: string;
  /** The router's own address there. */
  readonly address: Ip;
  /** Where it is written. */
  readonly resource: Resource;
  readonly field: string;
}

/** A network that a VPC's router reaches over a peering. */
export interface PeerNetwork {
  readonly network: Cidr;
  readonly via: Ip;
  /** The VPC behind it. */
  readonly peer: string;
  readonly peering: ResourceOf<'Peering'>;
  readonly resource: Resource;
  readonly field: string;
}

/** Who is connected to whom: looked up by VPC and subnet names. */
export class Topology {
  readonly #set: ResourceSet;
  readonly #networks: DerivedMap<readonly SubnetNetwork[]>;
  readonly #connections: DerivedMap<readonly Connection[]>;

  constructor(set: ResourceSet) {
    this.#set = set;
    this.#networks = new DerivedMap((name) => {
      const subnet = set.get('Subnet', name);
      return subnet === undefined ? [] : networksOf(subnet);
    });
    this.#connections = new DerivedMap((vpc) => this.#connect(vpc));
  }

  /** The networks of a subnet; none when there is no such subnet. */
  networksOf(subnet: string): readonly SubnetNetwork[] {
    return this.#networks.get(subnet);
  }

  /** The network of one family of a subnet. */
  networkOf(subnet: string, family: Family): SubnetNetwork | undefined {
    return this.networksOf(subnet).find((network) => network.family === family);
  }

  /** A VPC's own subnets, in canonical order. */
  subnetsOf(vpc: string): readonly ResourceOf<'Subnet'>[] {
    return this.#set.related(SUBNETS_OF_VPC, vpc);
  }

  /** The networks of a VPC's own subnets. */
  ownNetworksOf(vpc: string): readonly SubnetNetwork[] {
    return this.subnetsOf(vpc).flatMap((subnet) => this.networksOf(subnet.name));
  }

  /** Every network that a VPC's router has an address on. */
  connectionsOf(vpc: string): readonly Connection[] {
    return this.#connections.get(vpc);
  }

  /** The peerings that a VPC takes part in, with its side (0 or 1). Not those of a VPC with itself. */
  sidesOf(vpc: string): readonly PeeringSide[] {
    return this.#set
      .related(PEERINGS_OF_VPC, vpc)
      .map((peering) => ({ peering, side: peering.spec.ends[0].vpc === vpc ? 0 : 1 }));
  }

  /** The VPCs at the other ends of its peerings. */
  peersOf(vpc: string): readonly string[] {
    return this.sidesOf(vpc).map(({ peering, side }) => peering.spec.ends[side === 0 ? 1 : 0].vpc);
  }

  /** What a VPC's router reaches over its peerings. */
  peerNetworksOf(vpc: string): readonly PeerNetwork[] {
    return this.sidesOf(vpc).flatMap(({ peering, side }) => {
      const other = peering.spec.ends[side === 0 ? 1 : 0];
      const hops = other.addresses.flatMap((text) => parsed(parseInterface(text)));
      return this.advertisedBy(peering, side === 0 ? 1 : 0).flatMap(({ network, resource, field }) => {
        const hop = hops.find(({ family }) => family === network.family);
        return hop === undefined ? [] : [{ network, via: hop.ip, peer: other.vpc, peering, resource, field }];
      });
    });
  }

  /** The subnets with a network around an address: the VPC's own, external ones, and what peers let it reach. */
  subnetsAround(vpc: string, ip: Ip): readonly string[] {
    const near = this.connectionsOf(vpc).filter(({ kind }) => kind !== 'link');
    const far = this.peerNetworksOf(vpc)
      .filter(({ network }) => cidrContains(network, ip))
      .flatMap(({ peer }) => this.ownNetworksOf(peer))
      .map(({ subnet, cidr }) => ({ of: subnet.name, network: cidr }));
    const around = [...near, ...far].filter(({ network }) => cidrContains(network, ip));
    return [...new Set(around.map(({ of }) => of))];
  }

  /** What one side of a peering lets the other one reach. */
  advertisedBy(
    peering: ResourceOf<'Peering'>,
    side: 0 | 1,
  ): readonly Pick<PeerNetwork, 'network' | 'resource' | 'field'>[] {
    const { vpc, advertise } = peering.spec.ends[side];
    if (advertise === undefined) {
      return this.ownNetworksOf(vpc).map(({ cidr, subnet, field }) => ({
        network: cidr,
        resource: subnet,
        field,
      }));
    }
    return advertise.flatMap((text, index) =>
      parsed(parseCidr(text)).map((network) => ({
        network,
        resource: peering,
        field: `spec.ends[${side}].advertise[${index}]`,
      })),
    );
  }

  #connect(vpc: string): readonly Connection[] {
    const own = this.ownNetworksOf(vpc).map(({ subnet, cidr, gateway, field }): Connection => ({
      kind: 'subnet',
      of: subnet.name,
      network: cidr,
      address: gateway,
      resource: subnet,
      field,
    }));
    const links = this.sidesOf(vpc).flatMap(({ peering, side }) => linkConnections(peering, side));
    return [...own, ...links, ...this.#externalConnections(vpc)];
  }

  #externalConnections(vpc: string): readonly Connection[] {
    const resource = this.#set.get('Vpc', vpc);
    return (resource?.spec.external ?? []).flatMap(({ subnet, addresses }, index) =>
      addresses.flatMap((text, at) =>
        parsed(parseIp(text)).flatMap((address): readonly Connection[] => {
          const network = this.networkOf(subnet, address.family)?.cidr;
          if (network === undefined || resource === undefined) return [];
          return [
            {
              kind: 'external',
              of: subnet,
              network,
              address,
              resource,
              field: `spec.external[${index}].addresses[${at}]`,
            },
          ];
        }),
      ),
    );
  }
}

/** One VPC's part in a peering. */
export interface PeeringSide {
  readonly peering: ResourceOf<'Peering'>;
  readonly side: 0 | 1;
}

const known = new WeakMap<ResourceSet, Topology>();

/** The topology of a set; made once for all rules. */
export function topologyOf(set: ResourceSet): Topology {
  const topology = known.get(set) ?? new Topology(set);
  known.set(set, topology);
  return topology;
}

/** The router's connection that a next hop is on; never the router's own address. */
export function connectionTo(hop: Ip, connections: readonly Connection[]): Connection | undefined {
  return connections.find(({ network, address }) => cidrContains(network, hop) && !equalIp(address, hop));
}

function linkConnections(peering: ResourceOf<'Peering'>, side: 0 | 1): readonly Connection[] {
  return peering.spec.ends[side].addresses.flatMap((text, index) =>
    parsed(parseInterface(text)).map(({ ip, network }): Connection => ({
      kind: 'link',
      of: peering.name,
      network,
      address: ip,
      resource: peering,
      field: `spec.ends[${side}].addresses[${index}]`,
    })),
  );
}
