import { test as property, fc } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { type Frame, Framer, frameBytes } from '../../src/ovsdb/protocol/framing.ts';
import { parseJson } from '../../src/ovsdb/protocol/json.ts';
import { readMessage, readUpdateMessage } from '../../src/ovsdb/protocol/message.ts';
import { type TableUpdates, UpdateReader } from '../../src/ovsdb/protocol/update-reader.ts';
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
    const framer = new Framer({ maxMessageBytes: 20, maxNesting: 9 });
    framer.push(Buffer.from('{"a":"0123456789'));
    expect(() => framer.push(Buffer.from('0123456789'))).toThrow('larger than 20 bytes');
  });

  test('refuses a message that is nested deeper than the limit', () => {
    const framer = new Framer({ maxMessageBytes: 1000, maxNesting: 4 });
    expect(framer.push(Buffer.from('{"a":[[[]]]}'))).toHaveLength(1);
    expect(() => framer.push(Buffer.from('{"a":[[[[]]]]}'))).toThrow('more than 4 deep');
  });

  test.each(['{]', '{"a":}', '{"id":null}', '{"method":1}'])('refuses to read %s', (text) => {
    const [frame] = new Framer().push(Buffer.from(text));
    expect(() => readMessage(frameBytes(frame as Frame))).toThrow(ProtocolError);
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

describe('table updates', () => {
  test.each([
    ['a monitor_cond_since reply', { id: 3, result: [false, uuid(0), UPDATES], error: null }],
    ['a reply whose id comes last', { error: null, result: [true, uuid(0), UPDATES], id: 3 }],
    ['a monitor reply', { id: 3, result: UPDATES, error: null }],
    ['an update3', { id: null, method: 'update3', params: ['data', uuid(0), UPDATES] }],
    ['an update2', { method: 'update2', params: ['data', UPDATES], id: null }],
  ])('of %s are read row by row, however often it pauses', (_, message) => {
    for (const size of [1, 50, 300, 2000, 1 << 20]) {
      const update = readUpdateMessage(Buffer.from(JSON.stringify(message)));
      expect(update).toBeDefined();
      const { rows, pauses } = readRows(update!.updates, size);
      if (size === 1) expect(pauses).toBeGreaterThan(40);
      expect(rows).toEqual(withoutEmpty(UPDATES));
      expect(update?.message).toEqual(readMessage(Buffer.from(emptied(message))));
    }
  });

  test.each([
    { id: 3, result: [{ rows: [{ a: 1 }] }], error: null },
    { id: 3, result: [], error: null },
    { id: 3, result: null, error: { error: 'x' } },
    { id: 3, method: 'echo', params: ['a', 'b', 'c', { x: 1 }] },
  ])('are not looked for in a message of another form: %j', (message) => {
    expect(readUpdateMessage(Buffer.from(JSON.stringify(message)))).toBeUndefined();
  });

  property.prop([
    fc.dictionary(
      fc.constantFrom('A', 'B', 'C'),
      fc.dictionary(name(), fc.record({ insert: fc.dictionary(name(), fc.jsonValue()) })),
    ),
    fc.constantFrom(undefined, 1, '\t'),
    fc.integer({ min: 1, max: 200 }),
  ])(
    'are read as JSON.parse reads them, whatever they hold and however they are written',
    (updates, space, size) => {
      const text = Buffer.from(JSON.stringify(updates, undefined, space));
      const reader = new UpdateReader(text, 1, text.length - 1);
      expect(readRows(reader, size).rows).toStrictEqual(
        withoutEmpty(parseJson(text.toString()) as TableUpdates),
      );
    },
  );

  property.prop([fc.nat(), fc.integer({ min: 0, max: 255 })])(
    'with a byte that is wrong are refused, or read as JSON.parse reads them',
    (at, byte) => {
      const text = Buffer.from(JSON.stringify(UPDATES));
      text[1 + (at % (text.length - 2))] = byte;
      let rows: TableUpdates | undefined;
      try {
        ({ rows } = readRows(new UpdateReader(text, 1, text.length - 1), 1000));
      } catch (error) {
        expect(error).toBeInstanceOf(ProtocolError);
      }
      if (rows !== undefined) expect(rows).toEqual(withoutEmpty(parseJson(text.toString()) as TableUpdates));
    },
  );

  test('that break off are refused', () => {
    const text = Buffer.from(JSON.stringify(UPDATES));
    for (let end = 2; end < text.length - 1; end++) {
      // Between two tables it looks as if there were no more.
      if (isJson(`${text.toString('utf8', 0, end)}}`)) continue;
      expect(() => readRows(new UpdateReader(text, 1, end), 1000)).toThrow(ProtocolError);
    }
  });
});

/** Reads everything, pausing after about `size` bytes. */
function readRows(
  reader: UpdateReader,
  size: number,
): { readonly rows: TableUpdates; readonly pauses: number } {
  const rows: Record<string, Record<string, Record<string, Record<string, unknown> | null>>> = {};
  let pauses = 0;
  do {
    reader.pauseAfter(size);
    pauses++;
    while (reader.nextRow()) {
      const table = (rows[reader.table] ??= {});
      const row = (table[reader.text()] = {} as Record<string, Record<string, unknown> | null>);
      reader.enter();
      while (reader.nextMember()) row[reader.text()] = readColumns(reader);
    }
  } while (reader.isPaused);
  return { rows, pauses };
}

function readColumns(reader: UpdateReader): Record<string, unknown> | null {
  if (!reader.isObject) {
    reader.value();
    return reader.json() as null;
  }
  const columns: Record<string, unknown> = {};
  reader.enter();
  while (reader.nextMember()) {
    const column = reader.text();
    reader.value();
    columns[column] = reader.json();
  }
  return columns;
}

function withoutEmpty(updates: TableUpdates): TableUpdates {
  return Object.fromEntries(Object.entries(updates).filter(([, rows]) => Object.keys(rows).length > 0));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A key that objects in tests can have without harm. */
function name(): fc.Arbitrary<string> {
  return fc.string({ unit: 'binary' }).filter((text) => text !== '__proto__');
}

function parse(frame: Frame): unknown {
  return JSON.parse(frameBytes(frame).toString('utf8'));
}

function emptied(message: unknown): string {
  return JSON.stringify(message).replace(JSON.stringify(UPDATES), '{}');
}

function uuid(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}
