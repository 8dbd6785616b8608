import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Framer, frameBytes } from '../../src/ovsdb/protocol/framing.ts';
import { type Message, readMessage, readUpdateMessage } from '../../src/ovsdb/protocol/message.ts';
import { type TableUpdates, UpdateReader } from '../../src/ovsdb/protocol/update-reader.ts';
import { ProtocolError } from '../../src/ovsdb/protocol/value.ts';
import { TRUTH_TABLES, truthSchema } from '../ovsdb/truth-schema.ts';
import { type TruthRows, connectWriter, dumpTruth } from '../ovsdb/truth-server.ts';
import { TransactionSource } from '../ovsdb/truth-transactions.ts';
import { type OvsdbServer, startOvsdbServer, until } from '../support/ovsdb-server.ts';
import { EFFORT, SEED, seededRandom } from '../support/seed.ts';
import { type ExactJson, parseExactly, printExactly } from './exact-json.ts';
import { ReplicaProbe } from './replica-probe.ts';
import { ModelRefusal, applyUpdates } from './update-model.ts';

const MUTATIONS = 150 * EFFORT;
const METHODS = ['monitor_cond_since', 'monitor_cond', 'monitor'];

let dir: string;
let server: OvsdbServer;
let truth: TruthRows;
const recordings: Buffer[] = [];

beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'traffic-'));
  const schemaFile = path.join(dir, 'truth.ovsschema');
  writeFileSync(schemaFile, printExactly(truthSchema()));
  server = await startOvsdbServer({ schemaFile });
  const writer = await connectWriter(server.socketPath, 'Truth');
  const source = new TransactionSource(seededRandom(SEED));
  const write = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) await writer.transact(source.next());
  };
  await write(10);
  const recorders = await Promise.all(METHODS.map((method) => record(server.socketPath, method)));
  await write(40);
  truth = await dumpTruth(server.endpoint, 'Truth');
  for (const recorder of recorders) recordings.push(await recorder.end());
  writer.close();
});

afterAll(async () => {
  await server.stop();
  rmSync(dir, { recursive: true });
});

test(`what a server said is understood, wherever the stream is cut (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  for (const stream of recordings) {
    const probe = follow(stream, () => 1 + Math.floor(random() * 3000));
    expect(probe.fault).toBeUndefined();
    expect(probe.probe.faults(truth)).toEqual([]);
  }
});

test(`what is garbled on its way ends the conversation, or means what it says (${MUTATIONS} times, seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  let ended = 0;
  for (let n = 0; n < MUTATIONS; n++) {
    const stream = garbledBytes(recordings[n % recordings.length] as Buffer, random);
    const { probe, rows, fault } = follow(stream, () => 1 << 16);
    if (fault !== undefined) ended += 1;
    expect(probe.faults(rows)).toEqual([]);
  }
  // Some changes are within texts and numbers; most are noticed.
  expect(ended).toBeGreaterThan(MUTATIONS / 4);
});

interface Followed {
  readonly probe: ReplicaProbe;
  /** What the model makes of the messages that were taken in. */
  readonly rows: TruthRows;
  /** Why the conversation was ended. */
  readonly fault: ProtocolError | undefined;
}

/** Reads a stream as a connection does, beside the model, up to the first thing that makes no sense. */
function follow(stream: Buffer, chunkSize: () => number): Followed {
  const framer = new Framer();
  const probe = new ReplicaProbe();
  let rows: TruthRows = new Map();
  try {
    for (let at = 0; at < stream.length;) {
      const size = chunkSize();
      for (const frame of framer.push(stream.subarray(at, at + size))) {
        const bytes = frameBytes(frame);
        const isCopy = takeIn(probe, bytes);
        if (isCopy !== undefined)
          rows = applyUpdates(isCopy ? new Map() : rows, updatesIn(parseExactly(bytes.toString())));
      }
      at += size;
    }
  } catch (error) {
    if (error instanceof ProtocolError) return { probe, rows, fault: error };
    if (error instanceof ModelRefusal)
      throw new Error('a message was believed that means nothing', { cause: error });
    throw error;
  }
  return { probe, rows, fault: undefined };
}

/** Whether the message brought a complete copy or an update; undefined when it brought no rows. */
function takeIn(probe: ReplicaProbe, bytes: Buffer): boolean | undefined {
  const streamed = readUpdateMessage(bytes);
  const message = streamed?.message ?? readMessage(bytes);
  const list = message.kind === 'reply' ? message.result : message.params;
  const found = Array.isArray(list) ? (list.at(-1) as TableUpdates) : (list as TableUpdates);
  if (!bringsRows(message)) return undefined;
  const reader = streamed?.updates ?? UpdateReader.of(found);
  if (message.kind === 'reply') probe.load(reader);
  else probe.update(reader);
  return message.kind === 'reply';
}

function bringsRows(message: Message): boolean {
  if (message.kind === 'reply') return message.error === null && message.result !== null;
  return message.kind === 'notification' && /^update[23]?$/.test(message.method);
}

function updatesIn(message: ExactJson): ExactJson {
  const { result, params } = message as Readonly<Record<string, ExactJson>>;
  const list = result ?? params ?? null;
  return Array.isArray(list) ? ((list as readonly ExactJson[]).at(-1) ?? null) : list;
}

/** A few bytes that are others, gone, there twice, or in another place. */
function garbledBytes(stream: Buffer, random: () => number): Buffer {
  const below = (limit: number): number => Math.floor(random() * limit);
  let bytes = Buffer.from(stream);
  for (let times = 1 + below(3); times > 0; times--) {
    const at = below(bytes.length);
    const length = 1 + below(random() < 0.5 ? 2 : 60);
    const [head, piece, tail] = [
      bytes.subarray(0, at),
      bytes.subarray(at, at + length),
      bytes.subarray(at + length),
    ];
    const choices = [
      () => [head, Buffer.from([below(256)]), bytes.subarray(at + 1)],
      () => [head, Buffer.from('{}[]",:\\0'.charAt(below(9))), bytes.subarray(at + 1)],
      () => [head, tail],
      () => [head, piece, piece, tail],
      () => [head, bytes.subarray(below(bytes.length)).subarray(0, length), tail],
    ];
    bytes = Buffer.concat(choices[below(choices.length)]?.() ?? []);
  }
  return bytes;
}

/** Listens to a monitor of everything, and keeps all that the server says. */
async function record(socketPath: string, method: string): Promise<{ readonly end: () => Promise<Buffer> }> {
  const socket = net.connect(socketPath);
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const requests = Object.fromEntries(
    Object.entries(TRUTH_TABLES).map(([table, { columns }]) => [table, [{ columns: Object.keys(columns) }]]),
  );
  const since = method === 'monitor_cond_since' ? ['00000000-0000-0000-0000-000000000000'] : [];
  socket.write(JSON.stringify({ id: 'copy', method, params: ['Truth', 'all', requests, ...since] }));
  const said = (text: string): Promise<void> => until(() => Buffer.concat(chunks).includes(text));
  await said('"copy"');
  return {
    end: async () => {
      // The answer comes after everything that was committed before the question.
      socket.write(JSON.stringify({ id: 'last', method: 'echo', params: [] }));
      await said('"last"');
      socket.destroy();
      const stream = Buffer.concat(chunks);
      return stream.subarray(0, stream.lastIndexOf('{'));
    },
  };
}
