import { formatInterface, parseInterface } from '../lib/cidr.ts';
import { formatIp, parseIp } from '../lib/ip.ts';
import { parseMac } from '../lib/mac.ts';

/**
 * The one spelling of a text made of MACs, addresses and prefixes (`00:00:5E:.. 10.0.1.12`): what OVN reads the same
 * must compare the same. A part that is none of these stays as it is.
 */
export function addressText(text: string): string {
  return text.trim().split(/\s+/).map(canonicalPart).join(' ');
}

function canonicalPart(part: string): string {
  const mac = parseMac(part);
  if (mac.ok) return mac.value;
  const ip = parseIp(part);
  if (ip.ok) return formatIp(ip.value);
  const address = parseInterface(part);
  return address.ok ? formatInterface(address.value) : part;
}
