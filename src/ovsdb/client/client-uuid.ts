import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';

/**
 * Whether an insert may choose the row's uuid (ovsdb-server(7) 5.2.1, Open vSwitch 2.13). It is tried in a transaction
 * that is aborted, so nothing is left behind; the answer is kept for the database's life.
 */
export async function supportsClientUuid(database: Database): Promise<boolean> {
  let answer = ANSWERS.get(database);
  if (answer === undefined) ANSWERS.set(database, (answer = probe(database)));
  return answer;
}

const ANSWERS = new WeakMap<Database, Promise<boolean>>();

async function probe(database: Database): Promise<boolean> {
  for (const table of database.schema.tables.keys()) {
    const outcome = await database.transact([
      { op: 'insert', table, uuid: randomUUID(), row: {} },
      { op: 'abort' },
    ]);
    if (outcome.kind !== 'refused') {
      ANSWERS.delete(database);
      return false;
    }
    // The insert passed and the abort was reached; a server that does not know the member refuses the syntax.
    if (outcome.operation === 1) return true;
    if (outcome.error.startsWith('syntax error')) return false;
  }
  return false;
}
