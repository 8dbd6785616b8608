import { formatCidr } from '../lib/cidr.ts';
import type { Family } from '../lib/ip.ts';
import { formatIp } from '../lib/ip.ts';
import { sortedRecord } from '../lib/order.ts';
import type { Ref } from '../model/nb.ts';
import { rowKey } from '../model/nb.ts';
import type { SubnetDhcpSpec } from '../model/specs.ts';
import type { Compilation } from './compilation.ts';
import { dhcpServerMac, routerMac } from './macs.ts';
import { ipOf, secondsOf } from './text.ts';
import type { SubnetNetwork, SubnetNode, Topology } from './topology.ts';

/** What a guest can send without fragments through a Geneve tunnel over a 1500-byte network: 58 bytes of headers less. */
const OVERLAY_MTU = 1442;
const PHYSICAL_MTU = 1500;
const DEFAULT_LEASE_SECONDS = 3600;

/** The options of a subnet's DHCP, by family. */
export type DhcpRefs = Partial<Readonly<Record<Family, Ref>>>;

/** A subnet's DHCP options, one row per family; none when the subnet has no DHCP. */
export function compileDhcp(subnet: SubnetNode, { topology, rows }: Compilation): DhcpRefs {
  const { dhcp } = subnet.resource.spec;
  const refs: { [F in Family]?: Ref } = {};
  if (dhcp === undefined) return refs;
  for (const network of subnet.networks) {
    const key = rowKey('DHCP_Options', subnet.name, `ip${network.family}`);
    rows.add({
      table: 'DHCP_Options',
      key,
      unit: subnet.unit,
      columns: {
        cidr: formatCidr(network.cidr),
        options: sortedRecord(
          network.family === 4
            ? dhcpv4Options(subnet, network, dhcp, mtuOf(subnet, topology))
            : dhcpv6Options(subnet, dhcp),
        ),
      },
      from: subnet.resource,
    });
    refs[network.family] = { ref: key };
  }
  return refs;
}

/**
 * What the router tells IPv6 guests: to ask DHCPv6 for their address (RFC 4861 M flag). Undefined where there is no
 * router, no IPv6 or no DHCP; an address that a guest makes up itself would fail port security.
 */
export function routerAdvertisements(
  subnet: SubnetNode,
  topology: Topology,
): Readonly<Record<string, string>> | undefined {
  const hasIpv6 = subnet.networks.some(({ family }) => family === 6);
  if (!hasIpv6 || subnet.vpc === undefined || subnet.resource.spec.dhcp === undefined) return undefined;
  return {
    address_mode: 'dhcpv6_stateful',
    mtu: `${mtuOf(subnet, topology)}`,
    send_periodic: 'true',
  };
}

/** The options that ovn-northd insists on (lease_time, server_id, server_mac) and those that the subnet states. */
function dhcpv4Options(
  subnet: SubnetNode,
  { gateway }: SubnetNetwork,
  dhcp: SubnetDhcpSpec,
  mtu: number,
): Record<string, string> {
  const { leaseTime, domain } = dhcp;
  const routed = subnet.vpc !== undefined || subnet.resource.spec.provider !== undefined;
  return {
    lease_time: `${leaseTime === undefined ? DEFAULT_LEASE_SECONDS : secondsOf(leaseTime)}`,
    mtu: `${mtu}`,
    server_id: formatIp(gateway),
    server_mac: serverMac(subnet),
    ...(routed ? { router: formatIp(gateway) } : {}),
    ...addressList('dns_server', 4, dhcp.dnsServers),
    ...addressList('ntp_server', 4, dhcp.ntpServers),
    ...(domain === undefined ? {} : { domain_name: `"${domain}"` }),
  };
}

function dhcpv6Options(subnet: SubnetNode, dhcp: SubnetDhcpSpec): Record<string, string> {
  return {
    server_id: serverMac(subnet),
    ...addressList('dns_server', 6, dhcp.dnsServers),
    ...(dhcp.domain === undefined ? {} : { domain_search: `"${dhcp.domain}"` }),
  };
}

/** The router answers where there is one; elsewhere OVN answers from an address of its own. */
function serverMac(subnet: SubnetNode): string {
  return subnet.vpc === undefined ? dhcpServerMac(subnet.name) : routerMac(subnet.vpc, subnet.name);
}

/** The order is the user's: clients ask the first server first. */
function addressList(option: string, family: Family, texts: readonly string[] = []): Record<string, string> {
  const addresses = texts.map(ipOf).filter((ip) => ip.family === family);
  const [first] = addresses;
  if (first === undefined) return {};
  return { [option]: addresses.length === 1 ? formatIp(first) : `{${addresses.map(formatIp).join(', ')}}` };
}

function mtuOf({ resource }: SubnetNode, topology: Topology): number {
  const { dhcp, mtu, provider } = resource.spec;
  const physical =
    provider === undefined ? undefined : topology.set.get('ProviderNetwork', provider.network)?.spec.mtu;
  return dhcp?.mtu ?? mtu ?? physical ?? (provider === undefined ? OVERLAY_MTU : PHYSICAL_MTU);
}
