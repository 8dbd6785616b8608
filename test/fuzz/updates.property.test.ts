import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { UpdateReader } from '../../src/ovsdb/protocol/update-reader.ts';
import { ProtocolError } from '../../src/ovsdb/protocol/value.ts';
import type { TruthRows } from '../ovsdb/truth-server.ts';
import { garbled } from '../support/garbage.ts';
import { seededRandom } from '../support/seed.ts';
import { type ExactJson, parseExactly, printExactly } from './exact-json.ts';
import { STATES, STYLES, copyOf, updatesBetween } from './random-updates.ts';
import { ReplicaProbe } from './replica-probe.ts';
import { ModelRefusal, applyUpdates } from './update-model.ts';

const [OPEN_BRACE, CLOSE_BRACE] = Buffer.from('{}');
const PIECES = fc.constantFrom(1, 20, 300, Infinity);

describe('updates', () => {
  property.prop([STATES, fc.array(STATES, { maxLength: 4 }), STYLES, PIECES])(
    'lead from any state to any other, read at once or in pieces',
    (first, states, style, size) => {
      const probe = new ReplicaProbe();
      probe.load(readerOf(copyOf(first, style)), size);
      let before = first;
      for (const after of states) {
        const updates = updatesBetween(before, after, style);
        expect(applyUpdates(before, updates).size).toBe(after.size);
        probe.update(readerOf(updates), size);
        expect(probe.faults(after)).toEqual([]);
        before = after;
      }
    },
  );

  property.prop([STATES, STATES, STYLES, PIECES])(
    'a second copy replaces the first',
    (first, second, style, size) => {
      const probe = new ReplicaProbe();
      probe.load(readerOf(copyOf(first, style)), size);
      probe.load(readerOf(copyOf(second, style)), size);
      expect(probe.faults(second)).toEqual([]);
    },
  );

  property.prop([STATES, STATES, STYLES, fc.nat()])(
    'in which something is of another type leave the replica as it was, or mean what they say',
    (before, after, style, seed) => {
      const updates = parseExactly(asText(updatesBetween(before, after, style)));
      expectRightOrRefused(before, printExactly(garbled(updates, seededRandom(seed)) as ExactJson));
    },
  );

  property.prop([STATES, STATES, STATES, STYLES])(
    'that start from another state leave the replica as it was, or mean what they say',
    (before, other, after, style) => {
      expectRightOrRefused(before, asText(updatesBetween(other, after, style)));
    },
  );

  property.prop([STATES, STATES, STYLES, fc.nat(), fc.integer({ min: 0, max: 255 })])(
    'with a byte that is wrong leave the replica as it was, or mean what they say',
    (before, after, style, at, byte) => {
      const bytes = Buffer.from(asText(updatesBetween(before, after, style)));
      bytes[at % bytes.length] = byte;
      expectRightOrRefused(before, bytes);
    },
  );

  test.each([[[]], [5], [''], [null], [['Thing']]])('that are %j are refused', (updates) => {
    expect(() => new ReplicaProbe().load(UpdateReader.of(updates as never))).toThrow(ProtocolError);
  });

  test('with a row twice are refused', () => {
    const [row, text] = ['"10000000-0000-4000-8000-000000000001"', '{"insert":{}}'];
    const bytes = Buffer.from(`{"Named":{${row}:${text},${row}:${text}}}`);
    const probe = new ReplicaProbe();
    expect(() => {
      probe.update(new UpdateReader(bytes, 1, bytes.length - 1));
    }).toThrow(ProtocolError);
    expect(probe.faults(new Map())).toEqual([]);
  });
});

function expectRightOrRefused(before: TruthRows, text: string | Buffer): void {
  const probe = new ReplicaProbe();
  probe.load(readerOf(copyOf(before, { version: 2, isShort: true })));
  const bytes = Buffer.from(text as string);
  // What is no object does not come this far: it is parsed as a whole.
  if (bytes[0] !== OPEN_BRACE || bytes.at(-1) !== CLOSE_BRACE) return;
  const after = meaning(before, bytes.toString());
  if (after === undefined) {
    expect(() => {
      probe.update(new UpdateReader(bytes, 1, bytes.length - 1));
    }, bytes.toString()).toThrow(ProtocolError);
  } else probe.update(new UpdateReader(bytes, 1, bytes.length - 1));
  expect(probe.faults(after ?? before), bytes.toString()).toEqual([]);
}

/** What the model makes of an update; undefined when it makes nothing of it. */
function meaning(before: TruthRows, text: string): TruthRows | undefined {
  try {
    return applyUpdates(before, parseExactly(text));
  } catch (error) {
    if (error instanceof ModelRefusal || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readerOf(updates: ExactJson): UpdateReader {
  const bytes = Buffer.from(asText(updates));
  return new UpdateReader(bytes, 1, bytes.length - 1);
}

function asText(updates: ExactJson): string {
  return printExactly(updates);
}
