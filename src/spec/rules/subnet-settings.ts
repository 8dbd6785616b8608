import { parseDuration } from '../../lib/duration.ts';
import { parseIp } from '../../lib/ip.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { topologyOf } from '../topology/topology.ts';
import { repeatedNames } from './repeated-names.ts';
import type { Part } from '../parts.ts';

/** IPv6 needs packets of 1280 bytes (RFC 8200 5). */
const IPV6_MTU = 1280;
/** A DHCP lease time is 32 bits of seconds (RFC 2132 9.2). */
const MAX_LEASE = 2 ** 32 - 1;

/** MTUs fit each other and the families; DHCP and gateway settings mean something. */
export function* subnetSettings(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  for (const subnet of part.all('Subnet')) {
    yield* mtus(set, subnet);
    yield* dhcp(subnet);
    yield* gatewayMode(subnet);
  }
}

function* mtus(set: ResourceSet, subnet: ResourceOf<'Subnet'>): Iterable<Diagnostic> {
  const { mtu, dhcp, provider } = subnet.spec;
  const hasIpv6 = topologyOf(set).networkOf(subnet.name, 6) !== undefined;
  const network = provider === undefined ? undefined : set.get('ProviderNetwork', provider.network);
  const written = [
    ['spec.mtu', mtu],
    ['spec.dhcp.mtu', dhcp?.mtu],
  ] as const;
  for (const [field, value] of written) {
    if (value === undefined || value >= IPV6_MTU || !hasIpv6) continue;
    const message = `an MTU of ${value} is too small for IPv6, which needs ${IPV6_MTU}`;
    yield diagnose(subnet, { code: 'ADR414', field, message, hint: `Write ${IPV6_MTU} or more.` });
  }
  if (dhcp?.mtu !== undefined && mtu !== undefined && dhcp.mtu > mtu) {
    const message = `DHCP promises an MTU of ${dhcp.mtu}, the subnet has ${mtu}`;
    yield diagnose(subnet, {
      code: 'ADR414',
      field: 'spec.dhcp.mtu',
      message,
      hint: `Write ${mtu} or less.`,
    });
  }
  if (network?.spec.mtu !== undefined && mtu !== undefined && mtu > network.spec.mtu) {
    const message = `an MTU of ${mtu} does not fit the provider network's ${network.spec.mtu}`;
    const related = [{ resource: network, field: 'spec.mtu' }];
    yield diagnose(subnet, {
      code: 'ADR414',
      field: 'spec.mtu',
      message,
      hint: `Write ${network.spec.mtu} or less.`,
      related,
    });
  }
}

function* dhcp(subnet: ResourceOf<'Subnet'>): Iterable<Diagnostic> {
  const { leaseTime, ntpServers } = subnet.spec.dhcp ?? {};
  const lease = leaseTime === undefined ? undefined : parseDuration(leaseTime);
  if (lease?.ok === true && (lease.value < 1 || lease.value > MAX_LEASE)) {
    const message = `a lease of ${leaseTime} is not possible`;
    yield diagnose(subnet, {
      code: 'ADR415',
      field: 'spec.dhcp.leaseTime',
      message,
      hint: `Write 1s to ${MAX_LEASE}s.`,
    });
  }
  for (const [index, text] of (ntpServers ?? []).entries()) {
    const ip = parseIp(text);
    if (!ip.ok || ip.value.family === 4) continue;
    const message = `the time server ${text} is IPv6, which OVN's DHCP cannot tell`;
    yield diagnose(subnet, {
      code: 'ADR401',
      field: `spec.dhcp.ntpServers[${index}]`,
      message,
      hint: 'Name an IPv4 server.',
    });
  }
}

function* gatewayMode(subnet: ResourceOf<'Subnet'>): Iterable<Diagnostic> {
  const { gateway, vpc, isolation } = subnet.spec;
  if (gateway?.mode === 'centralized') {
    yield* repeatedNames(subnet, 'spec.gateway.chassis', gateway.chassis);
    if (vpc === undefined) {
      const message = 'a subnet without a vpc has no router that could be centralized';
      yield diagnose(subnet, {
        code: 'REF303',
        field: 'spec.gateway',
        message,
        hint: 'Add vpc, or remove gateway.',
      });
    }
  }
  if (isolation?.mode === 'open' && isolation.allow !== undefined) {
    const message = 'allow has no effect while the subnet is open';
    const hint = 'Write mode: private, or remove allow.';
    yield diagnose(subnet, {
      code: 'SCH208',
      severity: 'warning',
      field: 'spec.isolation.allow',
      message,
      hint,
    });
  }
}
