import type { Cidr } from '../lib/cidr.ts';
import { hostRangeOf, lastAddress } from '../lib/cidr.ts';
import type { Interval, IntervalSet } from '../lib/interval.ts';
import { countIntervals, intersectIntervals, intervalsContain, mergeIntervals } from '../lib/interval.ts';
import type { Ip } from '../lib/ip.ts';
import type { IpRange } from '../lib/ip-range.ts';

/** How many addresses a subnet has in one family; exact, since a /64 has more than a double can count. */
export interface PoolCount {
  /** Addresses that hosts and routers may have. */
  readonly total: bigint;
  /** Never given out automatically: gateway, excludes, addresses of routers, Eips, VIPs and health checks. */
  readonly reserved: bigint;
  /** Held by ports, apart from reserved ones. */
  readonly used: bigint;
  readonly free: bigint;
}

/** Enough to find a place where nine in ten are taken or excluded, in all but one of 800 cases. */
const PROBES = 64;

/**
 * The addresses of one subnet and family. Nothing is enumerated: a /64 costs what its ports cost.
 *
 * An identity looks at a sequence of places that depends on nothing but itself and takes the first free one. So an
 * address moves only when another port takes its place, not when an exclude or a port elsewhere is added, and about half
 * of them stay when the network grows by one bit.
 */
export class AddressPool {
  readonly #cidr: Cidr;
  readonly #hosts: IpRange;
  readonly #hostMask: bigint;
  readonly #reserved: IntervalSet;
  /** A taken address -> where to look for the next free one; chains are shortened as they are walked. */
  readonly #taken = new Map<bigint, bigint>();

  /** `reserved` are the ranges that are never given out automatically. */
  constructor(cidr: Cidr, reserved: Iterable<Interval>) {
    this.#cidr = cidr;
    this.#hosts = hostRangeOf(cidr);
    this.#hostMask = lastAddress(cidr).value - cidr.base.value;
    this.#reserved = intersectIntervals(mergeIntervals(reserved), [this.#hosts]);
  }

  /** Gives that very address away, reserved or not; false when somebody has it already. */
  take(address: bigint): boolean {
    if (this.#taken.has(address)) return false;
    this.#taken.set(address, address + 1n);
    return true;
  }

  /** Gives an address to an identity, known by 32 hex digits of its digest; undefined when none is free. */
  allocate(digest: string): Ip | undefined {
    const address = this.#probe(digest);
    if (address === undefined) return undefined;
    this.take(address);
    return { family: this.#cidr.family, value: address };
  }

  count(): PoolCount {
    const total = countIntervals([this.#hosts]);
    const reserved = countIntervals(this.#reserved);
    let used = 0n;
    for (const address of this.#taken.keys()) if (!intervalsContain(this.#reserved, address)) used += 1n;
    return { total, reserved, used, free: total - reserved - used };
  }

  #probe(digest: string): bigint | undefined {
    const high = BigInt(`0x${digest.slice(0, 24)}`) << 32n;
    const seed = Number.parseInt(digest.slice(24, 32), 16);
    let last = this.#hosts.first;
    for (let attempt = 0; attempt < PROBES; attempt += 1) {
      last = this.#cidr.base.value + ((high + BigInt(mix(seed, attempt))) & this.#hostMask);
      if (this.#isFree(last)) return last;
    }
    return this.#nextFree(last) ?? this.#nextFree(this.#hosts.first);
  }

  #isFree(address: bigint): boolean {
    return (
      address >= this.#hosts.first &&
      address <= this.#hosts.last &&
      !this.#taken.has(address) &&
      !intervalsContain(this.#reserved, address)
    );
  }

  /** The first free address from there upwards. */
  #nextFree(from: bigint): bigint | undefined {
    const walked: bigint[] = [];
    let address = from < this.#hosts.first ? this.#hosts.first : from;
    for (;;) {
      const next = this.#taken.get(address) ?? endOfInterval(this.#reserved, address);
      if (next === undefined) break;
      if (this.#taken.has(address)) walked.push(address);
      address = next;
    }
    for (const taken of walked) this.#taken.set(taken, address);
    return address <= this.#hosts.last ? address : undefined;
  }
}

/** The first number after the interval that holds `value`; undefined when none does. */
function endOfInterval(set: IntervalSet, value: bigint): bigint | undefined {
  let [low, high] = [0, set.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const interval = set[middle];
    if (interval === undefined || value < interval.first) high = middle - 1;
    else if (value > interval.last) low = middle + 1;
    else return interval.last + 1n;
  }
  return undefined;
}

/** Spreads a seed and a count over 32 bits (the finaliser of MurmurHash3). */
function mix(seed: number, count: number): number {
  let bits = (seed + Math.imul(count, 0x9e3779b9)) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
