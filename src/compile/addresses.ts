import type { Interval } from '../lib/interval.ts';
import type { Family, Ip } from '../lib/ip.ts';
import { formatIp } from '../lib/ip.ts';
import { cidrContains } from '../lib/cidr.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { PoolCount } from './address-pool.ts';
import { AddressPool } from './address-pool.ts';
import { portMac } from './macs.ts';
import { poolExhausted } from './diagnostics.ts';
import { macCollisions } from './mac-collisions.ts';
import { reservedAddresses } from './reserved-addresses.ts';
import { ipOf, ipRangeOf } from './text.ts';
import type { PortNode, SubnetNetwork, SubnetNode, Topology } from './topology.ts';

/** The addresses of one Port. */
export interface PortAddresses {
  readonly subnet: string;
  readonly mac: string;
  /** One per family at most, IPv4 first. */
  readonly addresses: readonly PortAddress[];
}

export interface PortAddress {
  readonly family: Family;
  /** In canonical text. */
  readonly address: string;
  /** True when the repository does not fix it, neither in the Port nor in an AddressLock. */
  readonly automatic: boolean;
}

/** What one subnet's addresses look like in one family. */
export interface SubnetPool extends PoolCount {
  readonly subnet: string;
  readonly family: Family;
}

export interface Allocation {
  /** By scoped name of the Port. */
  readonly addresses: ReadonlyMap<string, PortAddresses>;
  readonly pools: readonly SubnetPool[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Gives every Port its addresses: first those that Ports fix, then those that an AddressLock pins, then the rest in
 * canonical order of the Ports. The result depends on the resources alone. To see whose automatic address a change
 * would move, compare the allocations before and after it.
 */
export function allocateAddresses(topology: Topology): Allocation {
  const locked = lockedAddresses(topology);
  const reserved = reservedAddresses(topology);
  const addresses = new Map<string, PortAddresses>();
  const pools: SubnetPool[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const subnet of topology.subnets.values()) {
    const byPort = new Map<string, PortAddress[]>(subnet.ports.map((port) => [port.name, []]));
    for (const network of subnet.networks) {
      const pool = new AddressPool(network.cidr, reservedRanges(subnet, network, reserved));
      const given = allocateNetwork(subnet, network, pool, locked);
      for (const { port, address } of given) {
        if (address === undefined) diagnostics.push(poolExhausted(port.resource, subnet.resource, network));
        else byPort.get(port.name)?.push(address);
      }
      pools.push({ subnet: subnet.name, family: network.family, ...pool.count() });
    }
    for (const port of subnet.ports) {
      const mac = port.resource.spec.mac?.toLowerCase() ?? portMac(port.digest);
      addresses.set(port.name, { subnet: subnet.name, mac, addresses: byPort.get(port.name) ?? [] });
    }
  }
  return { addresses, pools, diagnostics: [...diagnostics, ...macCollisions(topology, addresses)] };
}

/** A port's digest gives its MAC address from the left and its addresses from the right. */
const ADDRESS_DIGITS = 32;

interface Given {
  readonly port: PortNode;
  readonly address: PortAddress | undefined;
}

function allocateNetwork(
  subnet: SubnetNode,
  network: SubnetNetwork,
  pool: AddressPool,
  locked: ReadonlyMap<string, readonly Ip[]>,
): readonly Given[] {
  const given: Given[] = [];
  const { family } = network;
  const withoutFixed = subnet.ports.filter((port) => {
    const fixed = (port.resource.spec.addresses ?? []).map(ipOf).find((ip) => ip.family === family);
    if (fixed === undefined) return true;
    pool.take(fixed.value);
    given.push({ port, address: { family, address: formatIp(fixed), automatic: false } });
    return false;
  });
  const withoutAny = withoutFixed.filter((port) => {
    const pinned = locked.get(port.name)?.find((ip) => cidrContains(network.cidr, ip));
    if (pinned === undefined || !pool.take(pinned.value)) return true;
    given.push({ port, address: { family, address: formatIp(pinned), automatic: false } });
    return false;
  });
  for (const port of withoutAny) {
    const ip = pool.allocate(port.digest.slice(-ADDRESS_DIGITS));
    const address = ip === undefined ? undefined : { family, address: formatIp(ip), automatic: true };
    given.push({ port, address });
  }
  return given;
}

function lockedAddresses(topology: Topology): ReadonlyMap<string, readonly Ip[]> {
  const locked = new Map<string, Ip[]>();
  for (const { spec } of topology.set.all('AddressLock')) {
    for (const [port, texts] of Object.entries(spec.ports)) {
      locked.set(port, [...(locked.get(port) ?? []), ...texts.map(ipOf)]);
    }
  }
  return locked;
}

function reservedRanges(
  subnet: SubnetNode,
  network: SubnetNetwork,
  infrastructure: ReadonlyMap<string, readonly Ip[]>,
): Iterable<Interval> {
  const singles = [network.gateway, ...(infrastructure.get(subnet.name) ?? [])];
  const excludes = (subnet.resource.spec.exclude ?? []).map(ipRangeOf);
  return [
    ...excludes.filter((range) => range.family === network.family),
    ...singles
      .filter((ip) => ip.family === network.family)
      .map(({ value }) => ({ first: value, last: value })),
  ];
}
