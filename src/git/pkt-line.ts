import { SourceFault } from './source-error.ts';
import { redactUrl } from './source-address.ts';

/**
 * Checks that a list of refs or capabilities is whole: nothing but pkt-lines (gitprotocol-common(5)), a flush at the end, and two
 * of them where the list starts with a service line, which has a flush of its own. isomorphic-git takes a cut list for a short one.
 * Throws REF_LIST_INCOMPLETE, BAD_RESPONSE or SHA256_REPOSITORY.
 */
export function checkRefList(bytes: Uint8Array, label: string): void {
  const packets = splitPackets(bytes, label, 'REF_LIST_INCOMPLETE');
  const [first] = packets;
  const flushes = packets.filter((packet) => packet === FLUSH).length;
  const needed = first instanceof Uint8Array && textOf(first).startsWith('# service=') ? 2 : 1;
  if (packets.at(-1) !== FLUSH || flushes < needed) {
    throw new SourceFault('REF_LIST_INCOMPLETE', `${label} sent a list of refs without its end`);
  }
  // The object format is a capability: behind the first ref, or a line of its own in protocol version 2.
  const hasSha256 = packets.some((packet) => /(^|[ \0])object-format=sha256/u.test(textOf(packet)));
  if (hasSha256) throw new SourceFault('SHA256_REPOSITORY', `${label} uses SHA-256 object names`);
}

/**
 * Checks that the answer to a fetch is whole: a flush at the end, pack data, no error from the server. Throws PACK_INCOMPLETE,
 * BAD_RESPONSE, or COMMIT_MISSING when the server does not hand out the commit.
 */
export function checkPackAnswer(bytes: Uint8Array, label: string): void {
  const packets = splitPackets(bytes, label, 'PACK_INCOMPLETE');
  const complaint = packets.find((packet) => packet instanceof Uint8Array && packet[0] === 3);
  if (complaint instanceof Uint8Array) {
    throw new SourceFault('PACK_INCOMPLETE', `${label} gave up: ${quote(textOf(complaint).slice(1))}`);
  }
  const hasPack = packets.some((packet) => packet instanceof Uint8Array && packet[0] === 1);
  if (packets.at(-1) !== FLUSH || !hasPack) {
    throw new SourceFault('PACK_INCOMPLETE', `${label} sent a pack without its end`);
  }
}

/** Text from a server, made fit for a message: one short line without control characters or passwords. */
export function quote(text: string): string {
  const plain = redactUrl(text.replaceAll(/\p{Cc}+/gu, ' ').trim());
  return plain.length > 200 ? `${plain.slice(0, 200)}...` : plain;
}

const FLUSH = 'flush';

type Packet = Uint8Array | 'flush' | 'delimiter';

function splitPackets(
  bytes: Uint8Array,
  label: string,
  cut: 'REF_LIST_INCOMPLETE' | 'PACK_INCOMPLETE',
): readonly Packet[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const packets: Packet[] = [];
  for (let at = 0; at < buffer.length;) {
    const digits = buffer.toString('latin1', at, at + 4);
    const length = /^[0-9a-f]{4}$/iu.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
    const isWhole = digits.length === 4 && at + length <= buffer.length;
    if (Number.isNaN(length) && digits.length === 4) {
      throw new SourceFault(
        'BAD_RESPONSE',
        `${label} does not answer like a Git server: ${quote(textOf(buffer))}`,
      );
    }
    if (!isWhole)
      throw new SourceFault(cut, `the answer of ${label} was cut off after ${buffer.length} bytes`);
    packets.push(length === 0 ? FLUSH : length < 4 ? 'delimiter' : buffer.subarray(at + 4, at + length));
    at += Math.max(length, 4);
  }
  for (const packet of packets) refuseError(packet, label);
  return packets;
}

function refuseError(packet: Packet, label: string): void {
  const text = packet instanceof Uint8Array && packet[0] === 0x45 ? textOf(packet) : '';
  if (!text.startsWith('ERR ')) return;
  const code = /not our ref|unadvertised object/u.test(text) ? 'COMMIT_MISSING' : 'BAD_RESPONSE';
  throw new SourceFault(code, `${label} refused: ${quote(text.slice(4))}`);
}

function textOf(packet: Packet): string {
  return typeof packet === 'string' ? '' : Buffer.from(packet.subarray(0, 4096)).toString('utf8');
}
