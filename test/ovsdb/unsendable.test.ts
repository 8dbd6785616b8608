import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, type Operation, openDatabase } from '../../src/ovsdb/index.ts';
import { type OvsdbServer, startOvsdbServer } from '../support/ovsdb-server.ts';

const schemaFile = fileURLToPath(new URL('schemas/kinds.ovsschema', import.meta.url));
let server: OvsdbServer;
let database: Database;

beforeAll(async () => {
  server = await startOvsdbServer({ schemaFile });
  database = await openDatabase({ remotes: [server.endpoint], database: 'Kinds' });
});

afterAll(async () => {
  await database?.close();
  await server?.stop();
});

const comment = (text: string): Operation => ({ op: 'comment', comment: text });
const circular: { op: 'comment'; comment: string; self?: unknown } = { op: 'comment', comment: 'x' };
circular.self = circular;

test.each([
  ['NUL', comment('a\0b')],
  ['half of a surrogate pair', comment('lone \ud800 s')],
  ['its other half', comment('\\\udc00')],
  ['a circle', circular],
])('a transaction with %s is not sent, and costs no other its outcome', async (_, bad) => {
  const outcomes = await Promise.all(
    [comment('one'), bad, comment('two')].map((operation) => database.transact([operation])),
  );
  expect(outcomes.map(({ kind }) => kind)).toEqual(['committed', 'unsent', 'committed']);
});

test.each(['\\u0000', '\\\\ud800', '\u{1f600}', '\ufffd'])('%j is a text like any other', async (text) => {
  expect(await database.transact([comment(text)])).toMatchObject({ kind: 'committed' });
});

test('behind a slow server, what cannot be sent ends alone', async () => {
  const large = comment('x'.repeat(3_000_000));
  const outcomes = await Promise.all(
    [large, large, circular, comment('good')].map((operation) => database.transact([operation])),
  );
  expect(outcomes.map(({ kind }) => kind)).toEqual(['committed', 'committed', 'unsent', 'committed']);
});
