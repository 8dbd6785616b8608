import { countIntervals, mergeIntervals, subtractIntervals } from './interval.ts';
import type { Interval } from './interval.ts';
import type { Family, Ip } from './ip.ts';
import { ADDRESS_BITS, formatIp, parseIp } from './ip.ts';
import type { IpRange } from './ip-range.ts';
import { fail, ok, type Result } from './result.ts';

/** A network: its first address and how many leading bits are fixed. Never has host bits. */
export interface Cidr {
  readonly family: Family;
  readonly base: Ip;
  readonly prefix: number;
}

/** An address on a network, as an interface has it. */
export interface InterfaceAddress {
  readonly family: Family;
  readonly ip: Ip;
  readonly network: Cidr;
}

/**
 * Reads `address/prefix` without host bits. Host bits are refused, not cleared in silence: `10.0.0.77/24` may have been
 * meant as one host. The error says what is wrong and names the network that it may have meant.
 */
export function parseCidr(text: string): Result<Cidr, string> {
  const parsed = parseInterface(text);
  if (!parsed.ok) return parsed;
  const { ip, network } = parsed.value;
  if (ip.value !== network.base.value)
    return fail(`has host bits set; the network is ${formatCidr(network)}`);
  return ok(network);
}

/** Reads `address/prefix` with or without host bits: an address and the network that it is on. */
export function parseInterface(text: string): Result<InterfaceAddress, string> {
  const slash = text.indexOf('/');
  if (slash < 0) {
    const ip = parseIp(text);
    return fail(ip.ok ? 'has no prefix length' : ip.error);
  }
  const ip = parseIp(text.slice(0, slash));
  if (!ip.ok) return ip;
  const prefix = text.slice(slash + 1);
  if (!/^(?:0|[1-9][0-9]{0,2})$/.test(prefix))
    return fail(`has the prefix length "${prefix}", which is not a number`);
  const { family } = ip.value;
  if (Number(prefix) > ADDRESS_BITS[family]) {
    return fail(`has the prefix length ${prefix}, which is more than ${ADDRESS_BITS[family]}`);
  }
  return ok({ family, ip: ip.value, network: networkOf(ip.value, Number(prefix)) });
}

/** Writes a network in its canonical form. */
export function formatCidr(cidr: Cidr): string {
  return `${formatIp(cidr.base)}/${cidr.prefix}`;
}

/** Writes an interface address in its canonical form. */
export function formatInterface(address: InterfaceAddress): string {
  return `${formatIp(address.ip)}/${address.network.prefix}`;
}

/** The network of that prefix length that an address is on. */
export function networkOf(ip: Ip, prefix: number): Cidr {
  const hostBits = BigInt(ADDRESS_BITS[ip.family] - prefix);
  const base = (ip.value >> hostBits) << hostBits;
  return { family: ip.family, base: { family: ip.family, value: base }, prefix };
}

/** The last address of a network. */
export function lastAddress(cidr: Cidr): Ip {
  const size = 1n << BigInt(ADDRESS_BITS[cidr.family] - cidr.prefix);
  return { family: cidr.family, value: cidr.base.value + size - 1n };
}

/** All addresses of a network as a range. */
export function rangeOf(cidr: Cidr): IpRange {
  return { family: cidr.family, first: cidr.base.value, last: lastAddress(cidr).value };
}

/**
 * The addresses that hosts and routers may have: without network and broadcast address in IPv4 (RFC 950; both usable in
 * a /31, RFC 3021), without the subnet-router anycast address in IPv6 (RFC 4291 2.6.1; both usable in a /127, RFC 6164).
 */
export function hostRangeOf(cidr: Cidr): IpRange {
  const { family, first, last } = rangeOf(cidr);
  if (last - first < 2n) return { family, first, last };
  return { family, first: first + 1n, last: family === 4 ? last - 1n : last };
}

/** True when the address is one of the network's. */
export function cidrContains(cidr: Cidr, ip: Ip): boolean {
  if (cidr.family !== ip.family) return false;
  const hostBits = BigInt(ADDRESS_BITS[cidr.family] - cidr.prefix);
  return ip.value >> hostBits === cidr.base.value >> hostBits;
}

/** True when every address of `inner` is one of `outer`'s. */
export function cidrCovers(outer: Cidr, inner: Cidr): boolean {
  return outer.prefix <= inner.prefix && cidrContains(outer, inner.base);
}

/** True when they have an address in common; one of them then covers the other. */
export function cidrsOverlap(a: Cidr, b: Cidr): boolean {
  return cidrCovers(a, b) || cidrCovers(b, a);
}

/** True for the address that names the network or, in IPv6, any of its routers: no host may have it. */
export function isNetworkAddress(cidr: Cidr, ip: Ip): boolean {
  return cidrContains(cidr, ip) && ip.value < hostRangeOf(cidr).first;
}

/** True for an IPv4 directed broadcast address (RFC 919). IPv6 has none (RFC 4291 2). */
export function isBroadcastAddress(cidr: Cidr, ip: Ip): boolean {
  return cidrContains(cidr, ip) && ip.value > hostRangeOf(cidr).last;
}

/** The fewest networks that together are `cidr` without all `excepts`; in ascending order. */
export function complementCidrs(cidr: Cidr, excepts: readonly Cidr[]): readonly Cidr[] {
  const removed = mergeIntervals(excepts.filter((except) => except.family === cidr.family).map(rangeOf));
  return subtractIntervals([rangeOf(cidr)], removed).flatMap((interval) =>
    cidrsOfRange(cidr.family, interval),
  );
}

/** The fewest networks that together are the range; in ascending order. */
export function cidrsOfRange(family: Family, range: Interval): readonly Cidr[] {
  const cidrs: Cidr[] = [];
  const bits = ADDRESS_BITS[family];
  let remaining = countIntervals([range]);
  for (let value = range.first; remaining > 0n;) {
    const hostBits = Math.min(bitLength(remaining) - 1, value === 0n ? bits : trailingZeros(value));
    cidrs.push({ family, base: { family, value }, prefix: bits - hostBits });
    value += 1n << BigInt(hostBits);
    remaining -= 1n << BigInt(hostBits);
  }
  return cidrs;
}

function bitLength(value: bigint): number {
  return value.toString(2).length;
}

function trailingZeros(value: bigint): number {
  return bitLength(value & -value) - 1;
}
