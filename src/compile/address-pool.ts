import type { Cidr } from '../lib/cidr.ts';
import { hostRangeOf } from '../lib/cidr.ts';
import { sha256Hex } from '../lib/hash.ts';
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

const PROBE_DIGESTS = 8;

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
  readonly #reserved: IntervalSet;
  /** A taken address -> where to look for the next free one; chains are shortened as they are walked. */
  readonly #taken = new Map<bigint, bigint>();

  /** `reserved` are the ranges that are never given out automatically. */
  constructor(cidr: Cidr, reserved: Iterable<Interval>) {
    this.#cidr = cidr;
    this.#hosts = hostRangeOf(cidr);
    this.#reserved = intersectIntervals(mergeIntervals(reserved), [this.#hosts]);
  }

  /** Gives that very address away, reserved or not; false when somebody has it already. */
  take(address: bigint): boolean {
    if (this.#taken.has(address)) return false;
    this.#taken.set(address, address + 1n);
    return true;
  }

  /** Gives an address to an identity; undefined when none is free. */
  allocate(identity: string): Ip | undefined {
    const address = this.#probe(identity);
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

  #probe(identity: string): bigint | undefined {
    const digits = this.#cidr.family === 4 ? 8 : 32;
    const hostMask = this.#hostMask();
    let last = this.#hosts.first;
    for (let round = 0; round < PROBE_DIGESTS; round += 1) {
      const digest = sha256Hex(`address/${this.#cidr.family}/${identity}/${round}`);
      for (let start = 0; start < digest.length; start += digits) {
        last = this.#cidr.base.value + (BigInt(`0x${digest.slice(start, start + digits)}`) & hostMask);
        if (this.#isFree(last)) return last;
      }
    }
    return this.#nextFree(last) ?? this.#nextFree(this.#hosts.first);
  }

  #hostMask(): bigint {
    const bits = this.#cidr.family === 4 ? 32 : 128;
    return (1n << BigInt(bits - this.#cidr.prefix)) - 1n;
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
