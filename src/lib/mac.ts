import { fail, ok, type Result } from './result.ts';

/** Reads a MAC address `xx:xx:xx:xx:xx:xx` and gives it back in lower case. The error says what is wrong. */
export function parseMac(text: string): Result<string, string> {
  if (/^[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}$/.test(text)) return ok(text.toLowerCase());
  return fail('is not a MAC address of the form 02:00:00:00:01:0a');
}

/** True when the address is a group's (IEEE 802: lowest bit of the first octet), which no port may have. */
export function isMulticastMac(mac: string): boolean {
  return (Number.parseInt(mac.slice(0, 2), 16) & 1) === 1;
}
