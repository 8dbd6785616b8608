import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** SHA-256 of a text as 64 hex digits: where a collision would join what must stay apart. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/**
 * A fast 64-bit fingerprint of a text as 16 hex digits (two FNV-1a passes with different bases): for noticing that
 * something changed, never for identity.
 */
export function fingerprint64(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x1000193;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x01000197);
  }
  return hex32(a) + hex32(b);
}

function hex32(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
