import { openDatabase } from '../../src/ovsdb/index.ts';
import { canonicalDump } from '../../src/plan/canonical-dump.ts';

/** The content of a Northbound without UUIDs, from a fresh read of every table. */
export async function dumpOf(endpoint: string): Promise<string> {
  const database = await openDatabase(
    { remotes: [endpoint], database: 'OVN_Northbound' },
    AbortSignal.timeout(20_000),
  );
  try {
    return JSON.stringify(
      canonicalDump(database.schema, (table) => database.rows(table).values()),
      undefined,
      1,
    );
  } finally {
    await database.close();
  }
}
