import type { NbTable } from '../model/nb.ts';

/**
 * How a column of our rows is owned and compared.
 * - value: one string, number or boolean (or none, which for a boolean means `absent`)
 * - set: a set of strings, ours as a whole
 * - references: a set of rows, of which only those that carry our mark (or that we want) are ours
 * - reference: one row or none
 * - map: with `keys`, only those keys are ours and all others are left alone; without, the whole map is ours
 */
export type ColumnRule =
  | { readonly kind: 'value'; readonly text: TextForm; readonly absent?: boolean }
  | { readonly kind: 'set'; readonly text: TextForm }
  | { readonly kind: 'reference' | 'references' }
  | { readonly kind: 'map'; readonly keys: readonly string[] | undefined };

/** `plain` compares text as it is; `address` ignores how MACs, IPs and prefixes are spelled. */
export type TextForm = 'plain' | 'address';

const value: ColumnRule = { kind: 'value', text: 'plain' };
const address: ColumnRule = { kind: 'value', text: 'address' };
const addresses: ColumnRule = { kind: 'set', text: 'address' };
const names: ColumnRule = { kind: 'set', text: 'plain' };
/** Absent means true: only an explicit false switches off (ovn-nb(5)). */
const enabled: ColumnRule = { kind: 'value', text: 'plain', absent: true };
const flag: ColumnRule = { kind: 'value', text: 'plain', absent: false };
const reference: ColumnRule = { kind: 'reference' };
const references: ColumnRule = { kind: 'references' };
const wholeMap: ColumnRule = { kind: 'map', keys: undefined };
const keys = (...owned: readonly string[]): ColumnRule => ({ kind: 'map', keys: owned });

/**
 * The columns that we manage in each table, external_ids aside. A column that is not listed (because northd writes it,
 * or because no spec can say anything about it) is never compared and never written. Sets of child rows are not
 * listed either: a child names its parent.
 */
export const COLUMNS: Readonly<Record<NbTable, Readonly<Record<string, ColumnRule>>>> = {
  Logical_Switch: {
    name: value,
    load_balancer: references,
    other_config: keys('subnet', 'exclude_ips', 'ipv6_prefix'),
  },
  Logical_Switch_Port: {
    name: value,
    type: value,
    addresses,
    port_security: addresses,
    enabled,
    tag: value,
    parent_name: value,
    options: keys(
      'router-port',
      'network_name',
      'nat-addresses',
      'requested-chassis',
      'virtual-ip',
      'virtual-parents',
    ),
    dhcpv4_options: reference,
    dhcpv6_options: reference,
  },
  Logical_Router: {
    name: value,
    enabled,
    load_balancer: references,
    options: keys(
      'always_learn_from_arp_request',
      'dynamic_neigh_routers',
      'mac_binding_age_threshold',
      'chassis',
    ),
  },
  Logical_Router_Port: {
    name: value,
    mac: address,
    networks: addresses,
    peer: value,
    enabled,
    options: keys('gateway_mtu', 'reside-on-redirect-chassis', 'redirect-type'),
    ipv6_ra_configs: wholeMap,
  },
  Logical_Router_Static_Route: {
    ip_prefix: address,
    nexthop: address,
    policy: value,
    output_port: value,
    route_table: value,
    options: keys('ecmp_symmetric_reply'),
  },
  Logical_Router_Policy: {
    priority: value,
    match: value,
    action: value,
    nexthops: addresses,
    options: keys('pkt_mark'),
  },
  Gateway_Chassis: { name: value, chassis_name: value, priority: value },
  NAT: {
    type: value,
    external_ip: address,
    logical_ip: address,
    external_mac: address,
    logical_port: value,
    external_port_range: value,
    gateway_port: reference,
    options: keys('stateless', 'add_route'),
  },
  Load_Balancer: {
    name: value,
    protocol: value,
    vips: wholeMap,
    ip_port_mappings: wholeMap,
    selection_fields: names,
    options: keys(
      'affinity_timeout',
      'reject',
      'hairpin_snat_ip',
      'skip_snat',
      'event',
      'add_route',
      'neighbor_responder',
    ),
  },
  Load_Balancer_Health_Check: { vip: value, options: wholeMap },
  DHCP_Options: { cidr: address, options: wholeMap },
  Port_Group: { name: value, ports: references },
  Address_Set: { name: value, addresses },
  ACL: {
    name: value,
    priority: value,
    direction: value,
    match: value,
    action: value,
    log: flag,
    severity: value,
    meter: value,
    options: keys('apply-after-lb', 'log-related'),
  },
};

/** The same as lists: planning walks them for every row. */
export const COLUMN_RULES: Readonly<
  Record<NbTable, readonly (readonly [column: string, rule: ColumnRule])[]>
> = Object.fromEntries(
  Object.entries(COLUMNS).map(([table, columns]) => [table, Object.entries(columns)]),
) as unknown as Record<NbTable, readonly (readonly [string, ColumnRule])[]>;

/** The columns whose members are child rows, with the children's table: what is in none of them is gone (ovn-nb(5), non-root tables). */
export const CHILD_COLUMNS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Logical_Switch: {
    ports: 'Logical_Switch_Port',
    acls: 'ACL',
    qos_rules: 'QoS',
    forwarding_groups: 'Forwarding_Group',
  },
  Logical_Router: {
    ports: 'Logical_Router_Port',
    static_routes: 'Logical_Router_Static_Route',
    policies: 'Logical_Router_Policy',
    nat: 'NAT',
  },
  Logical_Router_Port: { gateway_chassis: 'Gateway_Chassis' },
  Load_Balancer: { health_check: 'Load_Balancer_Health_Check' },
  Port_Group: { acls: 'ACL' },
};
