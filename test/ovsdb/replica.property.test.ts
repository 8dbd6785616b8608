import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ExactJson, printExactly } from '../fuzz/exact-json.ts';
import { type OvsdbServer, startOvsdbServer } from '../support/ovsdb-server.ts';
import { EFFORT, SEED, seededRandom } from '../support/seed.ts';
import { RestlessReader, SOME_COLUMNS, TruthReader, someRows } from './truth-readers.ts';
import { TRUTH_TABLES, truthSchema } from './truth-schema.ts';
import { type RawWriter, type TruthRows, connectWriter, dumpTruth } from './truth-server.ts';
import { type KnownUuids, TransactionSource } from './truth-transactions.ts';

const TRANSACTIONS = 5000 * EFFORT;
const WRITERS = 4;
/** Transactions between two quiet points, at most. */
const ROUND = 300;

let dir: string;
let server: OvsdbServer;
beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'truth-'));
  const schemaFile = path.join(dir, 'truth.ovsschema');
  writeFileSync(schemaFile, printExactly(truthSchema()));
  server = await startOvsdbServer({ schemaFile });
});
afterAll(async () => {
  await server.stop();
  rmSync(dir, { recursive: true });
});

test(
  `after ${TRANSACTIONS} random transactions of ${WRITERS} writers the replicas equal the database at every quiet point (seed ${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    const source = new TransactionSource(random);
    const writers = await Promise.all(
      Array.from({ length: WRITERS }, () => connectWriter(server.socketPath, 'Truth')),
    );
    let part = someRows(random);
    const whole = await TruthReader.open(server.endpoint, random);
    const narrow = await TruthReader.open(server.endpoint, random, SOME_COLUMNS);
    const partial = await TruthReader.open(server.endpoint, random, part.wanted);
    const restless = await RestlessReader.open(server.socketPath, random);
    let committed = 0;
    for (let done = 0; done < TRANSACTIONS;) {
      const count = Math.min(TRANSACTIONS - done, 1 + Math.floor(random() * ROUND));
      const outcomes = writeAll(writers, source, count);
      restless.disturb();
      if (random() < 0.3) {
        part = someRows(random);
        await partial.want(part.wanted);
      }
      committed += (await outcomes).filter(isCommitted).length;
      done += count;
      const truth = await dumpTruth(server.endpoint, 'Truth');
      source.known = uuidsOf(truth);
      await whole.check(truth);
      await narrow.check(truth);
      await partial.check(part.among(truth));
      await restless.reader.check(truth);
    }
    // Most of them must get through, and be seen, or the test would prove nothing.
    expect(committed).toBeGreaterThan(TRANSACTIONS / 2);
    expect(committed).toBeLessThan(TRANSACTIONS);
    expect(whole.changes).toBeGreaterThan(TRANSACTIONS / 2);
    for (const writer of writers) writer.close();
    await Promise.all([whole.close(), narrow.close(), partial.close(), restless.close()]);
  },
  240_000 * EFFORT,
);

/** Each writer sends its share without waiting for answers. */
function writeAll(
  writers: readonly RawWriter[],
  source: TransactionSource,
  count: number,
): Promise<readonly (readonly ExactJson[])[]> {
  return Promise.all(
    Array.from({ length: count }, (_, n) => {
      const operations = source.next();
      return (writers[n % writers.length] as RawWriter).transact(operations);
    }),
  );
}

/** RFC 7047 4.1.3: an operation that fails says so, and so does an element beyond the operations. */
function isCommitted(results: readonly ExactJson[]): boolean {
  return results.every(
    (result) => result !== null && (result as Readonly<Record<string, ExactJson>>)['error'] === undefined,
  );
}

function uuidsOf(rows: TruthRows): KnownUuids {
  const keys = [...rows.keys()];
  const tables = Object.keys(TRUTH_TABLES).map((table): [string, readonly string[]] => [
    table,
    keys.filter((key) => key.startsWith(`${table}/`)).map((key) => key.slice(table.length + 1)),
  ]);
  return Object.fromEntries(tables);
}
