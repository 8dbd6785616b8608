import type { Cidr, InterfaceAddress } from '../lib/cidr.ts';
import { parseCidr, parseInterface } from '../lib/cidr.ts';
import { parseDuration } from '../lib/duration.ts';
import { invariant } from '../lib/invariant.ts';
import type { Ip } from '../lib/ip.ts';
import { parseIp } from '../lib/ip.ts';
import type { IpRange } from '../lib/ip-range.ts';
import { parseIpRange } from '../lib/ip-range.ts';
import type { Result } from '../lib/result.ts';

/** The address in a text that validation has accepted. */
export function ipOf(text: string): Ip {
  return accepted(text, parseIp(text));
}

/** The network in a text that validation has accepted. */
export function cidrOf(text: string): Cidr {
  return accepted(text, parseCidr(text));
}

/** The interface address in a text that validation has accepted. */
export function interfaceOf(text: string): InterfaceAddress {
  return accepted(text, parseInterface(text));
}

/** The range in a text that validation has accepted. */
export function ipRangeOf(text: string): IpRange {
  return accepted(text, parseIpRange(text));
}

/** The seconds of a duration that validation has accepted. */
export function secondsOf(text: string): number {
  return accepted(text, parseDuration(text));
}

/** The address in a text that may be a name instead. */
export function ipIfAny(text: string): Ip | undefined {
  const parsed = parseIp(text);
  return parsed.ok ? parsed.value : undefined;
}

function accepted<T>(text: string, result: Result<T, string>): T {
  invariant(result.ok, `"${text}" was accepted by validation`);
  return result.value;
}
