/** An IPv4 or IPv6 address, e.g. `10.0.1.5` or `2001:db8::5`. */
export type IpText = string;
/** A network in CIDR form without host bits, e.g. `10.0.1.0/24`. */
export type CidrText = string;
/** An interface address with its prefix length, e.g. `203.0.113.2/24`. */
export type InterfaceText = string;
/** An address or an inclusive range `first..last`, both of one family. */
export type IpRangeText = string;
/** A MAC address, e.g. `02:00:00:00:01:0a`. */
export type MacText = string;
/** A duration with its unit, e.g. `30s`, `5m`, `24h`. */
export type DurationText = string;
/** Kubernetes labels: name -> value. */
export type Labels = Readonly<Record<string, string>>;

export type Protocol = 'tcp' | 'udp' | 'sctp';

/** Settings of the whole repository; one `ovn-gitops.yaml` at the root. */
export interface RepositorySpec {
  /** Ranges that no VPC with a path to them may use. */
  readonly reserved?: readonly {
    readonly name: string;
    readonly cidrs: readonly CidrText[];
    readonly vpcs?: readonly string[];
  }[];
  /** What to do with rows that were changed by hand; the first match wins; the default is correct. */
  readonly drift?: readonly { readonly rows: string; readonly policy: 'correct' | 'report' | 'ignore' }[];
  /** More deletions than this in one revision hold it until allowed. */
  readonly deleteBudget?: { readonly count?: number; readonly percent?: number };
}

export interface RouteSpec {
  readonly cidr: CidrText;
  readonly via: IpText;
  /** `destination` (default) compares the destination with cidr, `source` the source. */
  readonly match?: 'destination' | 'source';
  /** Several routes of one cidr share the traffic only if every one of them says so. */
  readonly ecmp?: boolean;
}

export interface PolicyRouteSpec {
  readonly priority: number;
  /** An OVN match expression, e.g. `ip4.src == 10.0.1.0/24`. */
  readonly match: string;
  readonly action: 'allow' | 'drop' | 'reroute';
  readonly nextHops?: readonly IpText[];
}

/** How a VPC's router is joined to an external subnet. */
export interface VpcExternalSpec {
  /** A Subnet with a provider network and no vpc. */
  readonly subnet: string;
  /** The router's own addresses there, one per family. */
  readonly addresses: readonly IpText[];
  /** Chassis that may carry the gateway, best first. */
  readonly gateways: readonly string[];
  /** Sends traffic without another route to the external subnet's gateways; default true. */
  readonly defaultRoute?: boolean;
}

export interface VpcSpec {
  readonly routes?: readonly RouteSpec[];
  readonly policyRoutes?: readonly PolicyRouteSpec[];
  readonly external?: readonly VpcExternalSpec[];
}

export interface SubnetDhcpSpec {
  readonly leaseTime?: DurationText;
  readonly dnsServers?: readonly IpText[];
  readonly domain?: string;
  readonly mtu?: number;
  readonly ntpServers?: readonly IpText[];
}

/** `distributed` (default): every node routes. `centralized`: traffic leaves through the named chassis, best first. */
export type SubnetGatewayMode =
  { readonly mode: 'distributed' } | { readonly mode: 'centralized'; readonly chassis: readonly string[] };

export interface SubnetSpec {
  /** The VPC whose router is the gateway; absent for a switch without one (isolated or external). */
  readonly vpc?: string;
  /** One CIDR, or one per family. */
  readonly cidrs: readonly CidrText[];
  /** One per family; default: the first host. Of the VPC's router, or of the physical network when there is no vpc. */
  readonly gateways?: readonly IpText[];
  /** Addresses that are never given out automatically. */
  readonly exclude?: readonly IpRangeText[];
  readonly gateway?: SubnetGatewayMode;
  readonly dhcp?: SubnetDhcpSpec;
  /** `private`: ports talk only to this subnet and to `allow`. `open` (default): routing alone decides. */
  readonly isolation?: { readonly mode: 'open' | 'private'; readonly allow?: readonly CidrText[] };
  /** Puts the subnet on a physical network through a localnet port. */
  readonly provider?: { readonly network: string; readonly vlan?: number };
  readonly mtu?: number;
}

export interface PortSpec {
  readonly subnet: string;
  /** Fixed addresses, one per family at most; the missing families are given out automatically. */
  readonly addresses?: readonly IpText[];
  readonly mac?: MacText;
  /** Default true: the port may only send from its own MAC and addresses. */
  readonly portSecurity?: boolean;
  /** The name of the logical port, when it must equal an interface id given from outside. */
  readonly interfaceId?: string;
  /** Chassis on which the port must be bound. */
  readonly chassis?: string;
  /** Named ports that policies may refer to. */
  readonly ports?: readonly { readonly name: string; readonly port: number; readonly protocol?: Protocol }[];
  /** Security groups by name, in addition to those that select the port by label. */
  readonly securityGroups?: readonly string[];
}

export interface PeeringSpec {
  /** Exactly two ends, of different VPCs. */
  readonly ends: readonly [PeeringEnd, PeeringEnd];
}
export interface PeeringEnd {
  readonly vpc: string;
  /** This end's addresses on the link, one per family; both ends lie in one network. */
  readonly addresses: readonly InterfaceText[];
  /** Networks of this VPC that the other end may reach; default: all its subnets. */
  readonly advertise?: readonly CidrText[];
}

export interface ProviderNetworkSpec {
  /** The name that nodes map to a bridge in ovn-bridge-mappings. */
  readonly physicalNetwork: string;
  /** VLAN ids that subnets may use; default: any. */
  readonly vlans?: readonly { readonly from: number; readonly to: number }[];
  readonly mtu?: number;
}

export interface EipSpec {
  /** An external subnet. */
  readonly subnet: string;
  readonly address: IpText;
}

export type NatSpec =
  | { readonly type: 'snat'; readonly vpc: string; readonly eip: string; readonly internal: CidrText }
  | {
      readonly type: 'dnat_and_snat';
      readonly vpc: string;
      readonly eip: string;
      /** A Port (`namespace/name` or `name`) or an address of the VPC. */
      readonly internal: string;
      /** `distributed`: the port's own chassis translates; needs `internal` to be a Port. Default centralized. */
      readonly mode?: 'centralized' | 'distributed';
    }
  | {
      readonly type: 'port_forward';
      readonly vpc: string;
      readonly eip: string;
      readonly protocol: Protocol;
      readonly externalPort: number;
      readonly internal: string;
      readonly internalPort: number;
    };

export interface LoadBalancerBackend {
  /** A Port (`namespace/name` or `name`) or an address. */
  readonly target: string;
  readonly port: number;
}
export interface LoadBalancerSpec {
  readonly vpc: string;
  /** Virtual address: an address, or an Eip by name. */
  readonly vip?: IpText;
  readonly eip?: string;
  readonly listeners: readonly {
    readonly port: number;
    readonly protocol: Protocol;
    readonly backends: readonly LoadBalancerBackend[];
  }[];
  /** A client keeps its backend for this long. */
  readonly affinity?: DurationText;
  readonly healthCheck?: {
    /** A free address of each backend's subnet: never the router's own. */
    readonly sources: readonly { readonly subnet: string; readonly address: IpText }[];
    readonly interval?: DurationText;
    readonly timeout?: DurationText;
    readonly successCount?: number;
    readonly failureCount?: number;
  };
}

export interface SecurityGroupRule {
  readonly action?: 'allow' | 'drop';
  /** 1 (first) to 1000 (last); default 100. */
  readonly priority?: number;
  readonly protocol?: Protocol | 'icmp' | 'icmp6' | 'any';
  readonly ports?: readonly { readonly from: number; readonly to?: number }[];
  /** Remote side: any of these; absent or empty means anywhere. */
  readonly remote?: readonly ({ readonly cidr: CidrText } | { readonly group: string })[];
  readonly log?: boolean;
}
export interface SecurityGroupSpec {
  readonly vpc: string;
  /** Ports of the VPC with these labels are members. */
  readonly selector?: LabelSelector;
  readonly ingress?: readonly SecurityGroupRule[];
  readonly egress?: readonly SecurityGroupRule[];
}

/** Kubernetes label selector; an empty one selects everything. */
export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
}

/** networking.k8s.io/v1 NetworkPolicy, as it is. */
export interface NetworkPolicySpec {
  readonly podSelector: LabelSelector;
  readonly policyTypes?: readonly ('Ingress' | 'Egress')[] | null;
  readonly ingress?: readonly NetworkPolicyIngressRule[] | null;
  readonly egress?: readonly NetworkPolicyEgressRule[] | null;
}
export interface NetworkPolicyIngressRule {
  readonly from?: readonly NetworkPolicyPeer[] | null;
  readonly ports?: readonly NetworkPolicyPort[] | null;
}
export interface NetworkPolicyEgressRule {
  readonly to?: readonly NetworkPolicyPeer[] | null;
  readonly ports?: readonly NetworkPolicyPort[] | null;
}
export interface NetworkPolicyPeer {
  readonly podSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  readonly ipBlock?: { readonly cidr: CidrText; readonly except?: readonly CidrText[] };
}
export interface NetworkPolicyPort {
  readonly protocol?: 'TCP' | 'UDP' | 'SCTP';
  readonly port?: number | string;
  readonly endPort?: number;
}

/** v1 Namespace: only its labels matter here. */
export interface NamespaceSpec {
  readonly finalizers?: readonly string[];
}

/** Pins automatic addresses (`ovn-gitops.lock.yaml`), written by `ovn-gitops lock`. */
export interface AddressLockSpec {
  /** Port (`namespace/name` or `name`) -> its addresses. */
  readonly ports: Readonly<Record<string, readonly IpText[]>>;
}

/** Every kind of document with the type of its `spec`. */
export interface SpecByKind {
  readonly Repository: RepositorySpec;
  readonly Vpc: VpcSpec;
  readonly Subnet: SubnetSpec;
  readonly Port: PortSpec;
  readonly Peering: PeeringSpec;
  readonly ProviderNetwork: ProviderNetworkSpec;
  readonly Eip: EipSpec;
  readonly Nat: NatSpec;
  readonly LoadBalancer: LoadBalancerSpec;
  readonly SecurityGroup: SecurityGroupSpec;
  readonly NetworkPolicy: NetworkPolicySpec;
  readonly Namespace: NamespaceSpec;
  readonly AddressLock: AddressLockSpec;
}
export type Kind = keyof SpecByKind;
