import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';

/**
 * Whether an insert may choose the row's uuid (ovsdb-server(7) 5.2.1, Open vSwitch 2.13). It is tried in a transaction
 * that is aborted, so nothing is left behind; the answer is kept for the database's life. False also while no server can
 * be asked; that is not kept.
 */
export async function supportsClientUuid(database: Database): Promise<boolean> {
  return (await probeClientUuid(database)) === true;
}

/** The same, and undefined while no server can be asked. */
export async function probeClientUuid(database: Database): Promise<boolean | undefined> {
  let answer = ANSWERS.get(database);
  if (answer === undefined) ANSWERS.set(database, (answer = probe(database)));
  const known = await answer;
  if (known === undefined) ANSWERS.delete(database);
  return known;
}

const ANSWERS = new WeakMap<Database, Promise<boolean | undefined>>();

async function probe(database: Database): Promise<boolean | undefined> {
  for (const table of database.schema.tables.keys()) {
    const outcome = await database.transact([
      { op: 'insert', table, uuid: randomUUID(), row: {} },
      { op: 'abort' },
    ]);
    if (outcome.kind !== 'refused') return undefined;
    // The insert passed and the abort was reached; a server that does not know the member refuses the syntax.
    if (outcome.operation === 1) return true;
    if (outcome.error.startsWith('syntax error')) return false;
  }
  return false;
}
