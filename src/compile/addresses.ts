import type { Interval } from '../lib/interval.ts';
import type { Family, Ip } from '../lib/ip.ts';
import { formatIp } from '../lib/ip.ts';
import { cidrContains } from '../lib/cidr.ts';
import { isEqual, reuse } from '../lib/equal.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { ResourceOf } from '../model/resource.ts';
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
  /** True when an AddressLock pins it. */
  readonly locked?: true;
}

/** What one subnet's addresses look like in one family. */
export interface SubnetPool extends PoolCount {
  readonly subnet: string;
  readonly family: Family;
}

/** The addresses of one subnet. */
export interface Allocation {
  /** By scoped name of the Port. */
  readonly addresses: ReadonlyMap<string, PortAddresses>;
  /** One per family. */
  readonly pools: readonly SubnetPool[];
  /** Ports for which no address is free. */
  readonly exhausted: readonly Diagnostic[];
  /** Ports whose MAC address is not theirs alone. */
  readonly collisions: readonly Diagnostic[];
}

/**
 * Gives every Port of a subnet its addresses: first those that Ports fix, then those that an AddressLock pins, then the
 * rest in canonical order of the Ports. The result depends on the resources alone. To see whose automatic address a
 * change would move, compare the allocations before and after it. What comes out as in `before` is the same object.
 */
export function allocateAddresses(
  subnet: SubnetNode,
  topology: Topology,
  before: Allocation | undefined,
): Allocation {
  const ports = topology.portsOf(subnet.name);
  const reserved = reservedAddresses(subnet, topology.set);
  const locks = topology.set.all('AddressLock');
  const byPort = new Map<PortNode, PortAddress[]>(ports.map((port) => [port, []]));
  const pools: SubnetPool[] = [];
  const exhausted: Diagnostic[] = [];
  for (const network of subnet.networks) {
    const pool = new AddressPool(network.cidr, reservedRanges(subnet, network, reserved));
    for (const { port, address } of allocateNetwork(network, ports, pool, locks)) {
      if (address === undefined) exhausted.push(poolExhausted(port.resource, subnet.resource, network));
      else byPort.get(port)?.push(address);
    }
    pools.push({ subnet: subnet.name, family: network.family, ...pool.count() });
  }
  const addresses = new Map<string, PortAddresses>();
  for (const [port, own] of byPort) {
    const mac = port.resource.spec.mac?.toLowerCase() ?? portMac(port.digest);
    const given = { subnet: subnet.name, mac, addresses: own };
    addresses.set(port.name, reuse(before?.addresses.get(port.name), given));
  }
  const macs = ports.map((port) => [port, addresses.get(port.name)?.mac ?? ''] as const);
  const collisions = macCollisions(subnet, macs, topology.set);
  return sameAsBefore({ addresses, pools, exhausted, collisions }, before);
}

function sameAsBefore(now: Allocation, before: Allocation | undefined): Allocation {
  if (before === undefined || now.addresses.size !== before.addresses.size) return now;
  const isSame =
    [...now.addresses].every(([port, given]) => before.addresses.get(port) === given) &&
    isEqual([now.pools, now.exhausted, now.collisions], [before.pools, before.exhausted, before.collisions]);
  return isSame ? before : now;
}

/** A port's digest gives its MAC address from the left and its addresses from the right. */
const ADDRESS_DIGITS = 32;

interface Given {
  readonly port: PortNode;
  readonly address: PortAddress | undefined;
}

function allocateNetwork(
  network: SubnetNetwork,
  ports: readonly PortNode[],
  pool: AddressPool,
  locks: readonly ResourceOf<'AddressLock'>[],
): readonly Given[] {
  const given: Given[] = [];
  const { family } = network;
  const withoutFixed = ports.filter((port) => {
    const fixed = (port.resource.spec.addresses ?? []).map(ipOf).find((ip) => ip.family === family);
    if (fixed === undefined) return true;
    pool.take(fixed.value);
    given.push({ port, address: { family, address: formatIp(fixed), automatic: false } });
    return false;
  });
  const withoutAny = withoutFixed.filter((port) => {
    const pinned = lockedAddresses(port, locks).find((ip) => cidrContains(network.cidr, ip));
    if (pinned === undefined || !pool.take(pinned.value)) return true;
    given.push({ port, address: { family, address: formatIp(pinned), automatic: false, locked: true } });
    return false;
  });
  for (const port of withoutAny) {
    const ip = pool.allocate(port.digest.slice(-ADDRESS_DIGITS));
    const address = ip === undefined ? undefined : { family, address: formatIp(ip), automatic: true };
    given.push({ port, address });
  }
  return given;
}

function lockedAddresses({ name }: PortNode, locks: readonly ResourceOf<'AddressLock'>[]): readonly Ip[] {
  return locks.flatMap(({ spec }) =>
    Object.hasOwn(spec.ports, name) ? (spec.ports[name] ?? []).map(ipOf) : [],
  );
}

function reservedRanges(
  subnet: SubnetNode,
  network: SubnetNetwork,
  infrastructure: readonly Ip[],
): Iterable<Interval> {
  const singles = [network.gateway, ...infrastructure];
  const excludes = (subnet.resource.spec.exclude ?? []).map(ipRangeOf);
  return [
    ...excludes.filter((range) => range.family === network.family),
    ...singles
      .filter((ip) => ip.family === network.family)
      .map(({ value }) => ({ first: value, last: value })),
  ];
}
