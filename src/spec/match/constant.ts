import { parseIp } from '../../lib/ip.ts';
import { parseMac } from '../../lib/mac.ts';
import { fail, ok, type Result } from '../../lib/result.ts';

/** A constant of an expression. */
export interface Constant {
  readonly format: 'string' | 'decimal' | 'hexadecimal' | 'ipv4' | 'ipv6' | 'mac' | 'set' | 'group';
  readonly text: string;
  /** How many bits it needs: an address as many as all have, a masked one as many as its mask. */
  readonly bits: number;
  readonly value: bigint;
  /** Which bits count; all of them without a mask. */
  readonly mask: bigint | undefined;
}

const MAX_DECIMAL = (1n << 64n) - 1n;
const ADDRESS_BITS: Readonly<Partial<Record<Constant['format'], number>>> = { ipv4: 32, ipv6: 128, mac: 48 };

/** Reads a number, an address, or either with a mask: `80`, `0x800`, `10.0.0.0/8`, `01:00:00:00:00:00/01:00:00:00:00:00`. */
export function parseNumber(text: string): Result<Constant, string> {
  const slash = text.indexOf('/');
  const value = parsePlain(slash < 0 ? text : text.slice(0, slash));
  if (!value.ok || slash < 0) return value;
  const mask = parseMask(value.value.format, text.slice(slash + 1));
  if (!mask.ok) return mask;
  const { format, bits } = value.value;
  const masked = ADDRESS_BITS[format] === undefined ? Math.max(bits, bitsOf(mask.value)) : bitsOf(mask.value);
  return ok({ ...value.value, text, mask: mask.value, bits: masked });
}

function parsePlain(text: string): Result<Constant, string> {
  const constant = (format: Constant['format'], value: bigint): Result<Constant, string> =>
    ok({ format, text, value, bits: ADDRESS_BITS[format] ?? bitsOf(value), mask: undefined });
  if (text.startsWith('0x')) {
    const value = BigInt(text);
    return bitsOf(value) > 128 ? fail(`${text} has more than 128 bits`) : constant('hexadecimal', value);
  }
  if (/^[0-9]+$/.test(text)) {
    if (/^0[0-9]/.test(text)) return fail(`${text} has a leading zero`);
    const value = BigInt(text);
    return value > MAX_DECIMAL ? fail(`${text} is not less than 2^64`) : constant('decimal', value);
  }
  const mac = parseMac(text);
  if (mac.ok) return constant('mac', BigInt(`0x${mac.value.replaceAll(':', '')}`));
  const ip = parseIp(text);
  if (ip.ok) return constant(ip.value.family === 4 ? 'ipv4' : 'ipv6', ip.value.value);
  return fail(`${text} ${ip.error}`);
}

/** A prefix length for addresses, else a mask of the same form. */
function parseMask(format: Constant['format'], text: string): Result<bigint, string> {
  const size = format === 'mac' ? undefined : ADDRESS_BITS[format];
  if (size !== undefined && /^[0-9]+$/.test(text)) {
    if (Number(text) > size) return fail(`the prefix length ${text} is more than ${size}`);
    return ok(((1n << BigInt(text)) - 1n) << BigInt(size - Number(text)));
  }
  const mask = parsePlain(text);
  if (!mask.ok) return mask;
  return mask.value.format === format
    ? ok(mask.value.value)
    : fail(`the mask ${text} does not have the form of the value`);
}

function bitsOf(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}
