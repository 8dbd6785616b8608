import { createHash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import { inflateSync } from 'node:zlib';
import { SourceFault } from './source-error.ts';

/** What a pack may unfold to. */
export interface PackBounds {
  /** Largest object, deltas applied. */
  readonly objectBytes: number;
  /** All that is compressed in the pack, together. */
  readonly inflatedBytes: number;
}

/**
 * Checks a pack (gitformat-pack(5)) before it enters the store: its checksum, the number of its objects, and that nothing in it
 * unfolds to more than the bounds, since a few kilobytes can hold gigabytes. Throws PACK_INCOMPLETE or TOO_LARGE.
 */
export async function scanPack(pack: Uint8Array, bounds: PackBounds): Promise<void> {
  const buffer = Buffer.from(pack.buffer, pack.byteOffset, pack.byteLength);
  const end = buffer.length - CHECKSUM_BYTES;
  if (end < HEADER_BYTES) throw broken('it is too short');
  const digest = createHash('sha1').update(buffer.subarray(0, end)).digest();
  if (!digest.equals(buffer.subarray(end))) throw broken('its checksum is wrong');
  const count = buffer.readUInt32BE(8);
  let at = HEADER_BYTES;
  let inflated = 0;
  for (let number = 0; number < count; number += 1) {
    const object = scanObject(buffer, at, end, bounds.objectBytes);
    at = object.end;
    inflated += object.inflated;
    if (inflated > bounds.inflatedBytes) throw tooLarge(inflated, bounds.inflatedBytes);
    if (number % OBJECTS_PER_BREATH === 0) await breathe();
  }
  if (at !== end) throw broken('it holds more than its objects');
}

const HEADER_BYTES = 12;
const CHECKSUM_BYTES = 20;
const OBJECTS_PER_BREATH = 500;
const OFFSET_DELTA = 6;
const REFERENCE_DELTA = 7;

function scanObject(
  buffer: Buffer,
  start: number,
  end: number,
  most: number,
): { readonly end: number; readonly inflated: number } {
  const first = byteAt(buffer, start, end);
  const type = (first >> 4) & 7;
  const size = readSize(buffer, start, end, 4);
  let at = size.end;
  if (type === OFFSET_DELTA) at = readSize(buffer, at, end, 7).end;
  if (type === REFERENCE_DELTA) at += CHECKSUM_BYTES;
  if (size.value > most) throw tooLarge(size.value, most);
  const { bytes, consumed } = inflate(buffer.subarray(at, end), size.value);
  if (bytes.length !== size.value) throw broken('an object has another size than it says');
  if (type === OFFSET_DELTA || type === REFERENCE_DELTA) {
    // A delta starts with the sizes of its base and of its result.
    const result = readSize(bytes, readSize(bytes, 0, bytes.length, 7).end, bytes.length, 7).value;
    if (result > most) throw tooLarge(result, most);
  }
  return { end: at + consumed, inflated: bytes.length };
}

/** Reads a number in 7-bit groups, least significant first, of which the first byte holds only `bits`. */
function readSize(
  buffer: Buffer,
  start: number,
  end: number,
  bits: 4 | 7,
): { readonly value: number; readonly end: number } {
  let byte = byteAt(buffer, start, end);
  let value = byte & (2 ** bits - 1);
  let unit = 2 ** bits;
  let at = start + 1;
  while (byte >= 0x80) {
    byte = byteAt(buffer, at, end);
    value += (byte & 0x7f) * unit;
    unit *= 128;
    at += 1;
  }
  return { value, end: at };
}

function byteAt(buffer: Buffer, at: number, end: number): number {
  const byte = at < end ? buffer[at] : undefined;
  if (byte === undefined) throw broken('it ends inside an object');
  return byte;
}

function inflate(input: Buffer, size: number): { readonly bytes: Buffer; readonly consumed: number } {
  const chunkSize = Math.min(Math.max(size, 64), 1024 * 1024);
  try {
    // With `info` the engine comes along; it knows how much of the input it needed (not in the type declarations).
    const options = { chunkSize, maxOutputLength: Math.max(size, 1), info: true };
    const { buffer, engine } = inflateSync(input, options) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    return { bytes: buffer, consumed: engine.bytesWritten };
  } catch {
    throw broken('an object can not be unfolded to the size that it says');
  }
}

function broken(reason: string): SourceFault {
  return new SourceFault('PACK_INCOMPLETE', `the pack is damaged: ${reason}`);
}

function tooLarge(bytes: number, most: number): SourceFault {
  return new SourceFault('TOO_LARGE', `the pack unfolds to ${bytes} bytes, more than the ${most} allowed`);
}
