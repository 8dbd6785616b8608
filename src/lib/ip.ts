import { fail, ok, type Result } from './result.ts';

export type Family = 4 | 6;

/** An address as a number: equal addresses are equal values, whatever their text was. */
export interface Ip {
  readonly family: Family;
  readonly value: bigint;
}

/** The number of address bits of a family. */
export const ADDRESS_BITS: Readonly<Record<Family, 32 | 128>> = { 4: 32, 6: 128 };

const MAPPED_PREFIX = 0xffffn;

/**
 * Reads an IPv4 address (RFC 791 dotted quad) or an IPv6 address (RFC 4291 2.2, also with a dotted tail).
 * A leading zero in an octet is refused: OVS reads it as decimal, others as octal. IPv4-mapped addresses and zone ids
 * are refused: OVN has no meaning for them. The error says what is wrong, without the text itself.
 */
export function parseIp(text: string): Result<Ip, string> {
  if (text === '') return fail('is empty');
  if (text.includes('%')) return fail('has a zone id, which only has a meaning on one machine');
  if (!text.includes(':')) return parseIpv4(text);
  const groups = expandIpv6(text);
  if (!groups.ok) return groups;
  let value = 0n;
  for (const group of groups.value) value = (value << 16n) | BigInt(group);
  if (value >> 32n === MAPPED_PREFIX) return fail('is an IPv4-mapped address; write it as IPv4');
  return ok({ family: 6, value });
}

/** Writes an address in its one canonical form: dotted quad, or RFC 5952 for IPv6. */
export function formatIp(ip: Ip): string {
  if (ip.family === 4) {
    const bits = Number(ip.value);
    return `${bits >>> 24}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}`;
  }
  const groups: number[] = [];
  for (let shift = 112n; shift >= 0n; shift -= 16n) groups.push(Number((ip.value >> shift) & 0xffffn));
  const run = longestZeroRun(groups);
  if (run.length < 2) return hex(groups);
  return `${hex(groups.slice(0, run.start))}::${hex(groups.slice(run.start + run.length))}`;
}

/** Orders addresses: IPv4 first, then by number. */
export function compareIp(a: Ip, b: Ip): number {
  if (a.family !== b.family) return a.family - b.family;
  return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
}

/** True for one and the same address. */
export function equalIp(a: Ip, b: Ip): boolean {
  return a.family === b.family && a.value === b.value;
}

/** True for a group address (RFC 5771, RFC 4291 2.7): never the address of one port. */
export function isMulticastIp(ip: Ip): boolean {
  return ip.family === 4 ? ip.value >> 28n === 0xen : ip.value >> 120n === 0xffn;
}

function parseIpv4(text: string): Result<Ip, string> {
  const octets = text.split('.');
  if (octets.length !== 4) return fail('is not an IP address');
  let value = 0;
  for (const octet of octets) {
    if (!/^[0-9]{1,3}$/.test(octet)) return fail('is not an IP address');
    if (octet.length > 1 && octet.startsWith('0')) {
      return fail(`has the octet "${octet}" with a leading zero, which some read as octal`);
    }
    const byte = Number(octet);
    if (byte > 255) return fail(`has the octet "${octet}", which is more than 255`);
    value = value * 256 + byte;
  }
  return ok({ family: 4, value: BigInt(value) });
}

/** The eight groups of an IPv6 address in text. */
function expandIpv6(text: string): Result<readonly number[], string> {
  const halves = text.split('::');
  if (halves.length > 2) return fail('has "::" twice');
  const left = ipv6Groups(halves[0] ?? '', halves.length === 1);
  if (!left.ok) return left;
  if (halves.length === 1) {
    return left.value.length === 8 ? left : fail(`has ${left.value.length} groups instead of 8`);
  }
  const right = ipv6Groups(halves[1] ?? '', true);
  if (!right.ok) return right;
  const missing = 8 - left.value.length - right.value.length;
  if (missing < 1) return fail('has too many groups');
  return ok([...left.value, ...Array.from({ length: missing }, () => 0), ...right.value]);
}

function ipv6Groups(text: string, mayEndDotted: boolean): Result<readonly number[], string> {
  if (text === '') return ok([]);
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (mayEndDotted && index === parts.length - 1 && part.includes('.')) {
      const tail = parseIpv4(part);
      if (!tail.ok) return tail;
      groups.push(Number(tail.value.value >> 16n), Number(tail.value.value & 0xffffn));
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      groups.push(Number.parseInt(part, 16));
    } else {
      return fail('is not an IP address');
    }
  }
  return ok(groups);
}

/** The first longest run of zero groups (RFC 5952 4.2.3). */
function longestZeroRun(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== 0) start = index + 1;
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start };
  }
  return best;
}

function hex(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':');
}
