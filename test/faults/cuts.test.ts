import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, type Uuid, openDatabase } from '../../src/ovsdb/index.ts';
import { acceptedText, acceptRevision } from '../../src/reconcile/revision-record.ts';
import { reconcileUnit } from '../../src/reconcile/reconcile-unit.ts';
import { type ByteProxy, type Direction, startByteProxy } from '../support/byte-proxy.ts';
import { closeWriter, openWriter, type Writer } from '../support/network-load.ts';
import { commitOf, expectedRows, UNITS, variantOf } from '../support/network-revisions.ts';
import { readTruth, type UnitRows } from '../support/network-truth.ts';
import { type OvsdbServer, startOvsdbServer } from '../support/ovsdb-server.ts';
import { connectRaw, type RawConnection } from '../support/raw-connection.ts';
import { EFFORT, SEED, seededRandom } from '../support/seed.ts';
import { differences, rawRowTexts, replicaRowTexts } from '../support/wire-text.ts';

const CUTS = 20 * EFFORT;
const signal = AbortSignal.timeout(3_600_000);

let server: OvsdbServer;
let proxy: ByteProxy;
let raw: RawConnection;

beforeEach(async () => {
  server = await startOvsdbServer({ schemaFile: '/usr/share/ovn/ovn-nb.ovsschema' });
  proxy = await startByteProxy(server.socketPath);
  raw = await connectRaw(server.endpoint);
});

afterEach(async () => {
  raw?.close();
  await proxy?.stop();
  await server?.stop();
});

/** Named more often than it is cut off, a remote is tried again without a wait. */
const remotes = (): readonly string[] => Array<string>(20_000).fill(proxy.endpoint);

const SWITCH = 'a0000000-0000-4000-8000-000000000001';

/** Inserts or deletes one switch and says how many bytes that took in each direction. */
async function flip(database: Database): Promise<string> {
  const isThere = database.row('Logical_Switch', SWITCH as Uuid) !== undefined;
  const outcome = await database.transact([
    isThere
      ? { op: 'delete', table: 'Logical_Switch', where: [['_uuid', '==', ['uuid', SWITCH]]] }
      : { op: 'insert', table: 'Logical_Switch', uuid: SWITCH, row: { name: 'cut' } },
  ]);
  return outcome.kind;
}

test.each<Direction>(['toServer', 'toClient'])(
  'a conversation cut at every byte %s leaves nothing half done and nothing done twice',
  async (direction) => {
    const tables = { Logical_Switch: 'all', NB_Global: 'all' } as const;
    const database = await openDatabase({ remotes: remotes(), database: 'OVN_Northbound', tables });
    await database.resynced();
    proxy.count();
    // There and back: the longer of the two.
    expect([await flip(database), await flip(database)]).toEqual(['committed', 'committed']);
    const bytes = proxy.passed[direction];
    expect(bytes).toBeGreaterThan(200);
    for (let at = 0; at <= bytes; at += 1) {
      const before = database.row('Logical_Switch', SWITCH as Uuid) !== undefined;
      proxy.cutAfter(direction, at);
      const outcomes = [await flip(database)];
      if (!proxy.isCut) outcomes.push(await flip(database));
      expect(['committed', 'unknown', 'unsent'], `byte ${at}`).toContain(outcomes.at(-1));
      await database.resynced();
      const truth = await raw.select('OVN_Northbound', Object.keys(tables));
      expect(
        differences(replicaRowTexts(database, Object.keys(tables)), rawRowTexts(truth)),
        `byte ${at}`,
      ).toEqual([]);
      const after = database.row('Logical_Switch', SWITCH as Uuid) !== undefined;
      if (outcomes.length === 1 && outcomes[0] === 'committed') expect(after, `byte ${at}`).toBe(!before);
      if (outcomes.length === 1 && outcomes[0] === 'unsent') expect(after, `byte ${at}`).toBe(before);
    }
    await database.close();
  },
);

test(
  `a commit of units cut at ${CUTS} random bytes is finished by the next try, as one revision (seed ${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    const expected = await expectedRows();
    const direct = await openWriter([server.endpoint], () => {}, signal);
    const writer = await openWriter(remotes(), () => {}, signal);
    let lost = 0;
    for (let cut = 1; cut <= CUTS; cut += 1) {
      const text = acceptedText(direct.northbound, 'test');
      const next = { sequence: cut, commit: commitOf(cut) };
      const accepted = await acceptRevision(direct.northbound, 'test', next, text, signal);
      expect(accepted.kind).toBe('committed');
      await writer.northbound.resynced(signal);
      const direction = random() < 0.5 ? 'toServer' : 'toClient';
      const at = Math.floor(random() ** 2 * 40_000);
      proxy.cutAfter(direction, at);
      await reconcileAll(writer);
      if (proxy.isCut) lost += 1;
      proxy.count();
      await finish(writer, next.commit, expected, `cut ${cut}: ${direction} at byte ${at}`);
      await direct.northbound.resynced(signal);
    }
    expect(lost).toBeGreaterThan(CUTS / 4);
    await closeWriter(writer);
    await closeWriter(direct);
  },
  180_000 * EFFORT,
);

async function reconcileAll(writer: Writer): Promise<readonly string[]> {
  const outcomes: string[] = [];
  for (const unit of UNITS) {
    const outcome = await reconcileUnit(writer.parts, { unit, cause: 'revision', seenAt: 0 }, signal);
    outcomes.push(outcome.kind);
  }
  return outcomes;
}

/** Works until nothing is left to do, and compares with what the revision should be. */
async function finish(
  writer: Writer,
  commit: string,
  expected: readonly UnitRows[],
  where: string,
): Promise<void> {
  for (let outcomes = ['retry']; outcomes.some((kind) => kind !== 'done');) {
    await writer.northbound.resynced(signal);
    outcomes = [...(await reconcileAll(writer))];
    expect(outcomes, where).not.toContain('stalled');
  }
  const truth = await readTruth(raw);
  expect(truth.doubles, where).toEqual([]);
  expect(truth.units, where).toEqual(expected[variantOf(commit)]);
}
