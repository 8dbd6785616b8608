import { test as property, fc } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { type Frame, Framer, frameBytes } from '../../src/ovsdb/protocol/framing.ts';
import { type TableUpdates, readInPieces, readMessage } from '../../src/ovsdb/protocol/message.ts';
import { ProtocolError } from '../../src/ovsdb/protocol/value.ts';

const MESSAGES = [
  { id: 1, result: { 'a"b': ['\\', '\\"', '}{', '[', 'ö€𝄞', '\u0001'] }, error: null },
  { id: null, method: 'update3', params: ['data', 'x', { T: { u: { insert: { c: '"}' } } } }] },
  { id: 'echo', method: 'echo', params: [] },
];
const STREAM = Buffer.from(MESSAGES.map((message) => JSON.stringify(message)).join(' \n'));

describe('framing', () => {
  test('finds the messages wherever the stream is cut in two', () => {
    for (let at = 0; at <= STREAM.length; at++) {
      const framer = new Framer();
      const frames = [...framer.push(STREAM.subarray(0, at)), ...framer.push(STREAM.subarray(at))];
      expect(frames.map(parse)).toEqual(MESSAGES);
    }
  });

  test('finds the messages when every byte comes alone', () => {
    const framer = new Framer();
    const frames = [...STREAM].flatMap((byte) => framer.push(Uint8Array.of(byte)));
    expect(frames.map(parse)).toEqual(MESSAGES);
    expect(frames.map((frame) => frame.isAscii)).toEqual([false, true, true]);
  });

  property.prop([
    fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), { maxLength: 5 }),
    fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
  ])('finds any messages in any chunks', (messages, sizes) => {
    const stream = Buffer.from(messages.map((message) => JSON.stringify(message)).join(''));
    const framer = new Framer();
    const frames: Frame[] = [];
    let at = 0;
    for (const size of sizes) {
      if (at >= stream.length) break;
      frames.push(...framer.push(stream.subarray(at, at + size)));
      at += size;
    }
    expect(frames.map(parse)).toEqual(messages.map((message) => JSON.parse(JSON.stringify(message))));
  });

  test.each(['[]', 'x', '1', '{}]', '"a"', '{}}'])('refuses %s: messages are objects', (text) => {
    expect(() => new Framer().push(Buffer.from(text))).toThrow(ProtocolError);
  });

  test('refuses a message that grows beyond the limit, before it is complete', () => {
    const framer = new Framer({ maxBytes: 20, maxDepth: 9 });
    framer.push(Buffer.from('{"a":"0123456789'));
    expect(() => framer.push(Buffer.from('0123456789'))).toThrow('larger than 20 bytes');
  });

  test('refuses a message that is nested deeper than the limit', () => {
    const framer = new Framer({ maxBytes: 1000, maxDepth: 4 });
    expect(framer.push(Buffer.from('{"a":[[[]]]}'))).toHaveLength(1);
    expect(() => framer.push(Buffer.from('{"a":[[[[]]]]}'))).toThrow('more than 4 deep');
  });

  test.each(['{]', '{"a":}', '{"id":null}', '{"method":1}'])('refuses to read %s', (text) => {
    const [frame] = new Framer().push(Buffer.from(text));
    expect(() => readMessage(frame as Frame)).toThrow(ProtocolError);
  });
});

const UPDATES: TableUpdates = {
  Empty: {},
  A: Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [
      uuid(n),
      { initial: { name: `}},"${n}\\`, other: ['set', ['ö{', '"']] } },
    ]),
  ),
  B: { [uuid(77)]: { delete: null }, [uuid(78)]: { modify: { n: 7 } } },
};

describe('large messages', () => {
  test.each([
    ['a monitor_cond_since reply', { id: 3, result: [false, uuid(0), UPDATES], error: null }],
    ['a reply whose id comes last', { error: null, result: [true, uuid(0), UPDATES], id: 3 }],
    ['a monitor reply', { id: 3, result: UPDATES, error: null }],
    ['an update3', { id: null, method: 'update3', params: ['data', uuid(0), UPDATES] }],
    ['an update2', { method: 'update2', params: ['data', UPDATES], id: null }],
  ])('%s is read in pieces of any size', (_, message) => {
    const frame = frameOf(message);
    for (const size of [1, 50, 300, 2000, 1 << 20]) {
      const large = readInPieces(frame, size);
      expect(large).toBeDefined();
      const pieces = [...(large?.pieces ?? [])];
      if (size === 1) expect(pieces.length).toBeGreaterThan(40);
      expect(merge(pieces)).toEqual(UPDATES);
      expect(large?.message).toEqual(readMessage(frameOf(emptied(message))));
    }
  });

  test.each([
    { id: 3, result: [{ rows: [{ a: 1 }] }], error: null },
    { id: 3, result: [], error: null },
    { id: 3, result: null, error: { error: 'x' } },
    { id: 3, method: 'echo', params: ['a', 'b', 'c', { x: 1 }] },
  ])('a message of another form is left to be read as a whole: %j', (message) => {
    expect(readInPieces(frameOf(message))).toBeUndefined();
  });
});

function parse(frame: Frame): unknown {
  return JSON.parse(frameBytes(frame).toString('utf8'));
}

function frameOf(message: unknown): Frame {
  const [frame] = new Framer().push(Buffer.from(JSON.stringify(message)));
  return frame as Frame;
}

function emptied(message: unknown): unknown {
  return JSON.parse(JSON.stringify(message).replace(JSON.stringify(UPDATES), '{}'));
}

function merge(pieces: readonly TableUpdates[]): TableUpdates {
  const merged: Record<string, TableUpdates[string]> = {};
  for (const piece of pieces) {
    for (const [table, rows] of Object.entries(piece)) merged[table] = { ...merged[table], ...rows };
  }
  return merged;
}

function uuid(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}
