import { execFile } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { EmbeddedFailure } from './embedded-error.ts';

/** What makes a database: the schema comes with the ovn-central package. */
export interface DatabaseOrigin {
  readonly schemaFile: string;
  readonly name: 'OVN_Northbound' | 'OVN_Southbound';
  /** The table whose one row every client expects to find. */
  readonly globalTable: 'NB_Global' | 'SB_Global';
}

export const DATABASE_ORIGINS: Readonly<Record<'northbound' | 'southbound', DatabaseOrigin>> = {
  northbound: {
    schemaFile: '/usr/share/ovn/ovn-nb.ovsschema',
    name: 'OVN_Northbound',
    globalTable: 'NB_Global',
  },
  southbound: {
    schemaFile: '/usr/share/ovn/ovn-sb.ovsschema',
    name: 'OVN_Southbound',
    globalTable: 'SB_Global',
  },
};

/**
 * Makes the database file with its global row if it is absent; an existing one is kept, and converted when a newer OVN
 * was installed since (ovsdb-tool(1): needs-conversion, convert).
 *
 * @throws EmbeddedFailure SCHEMA_MISSING, DATABASE_UNUSABLE
 */
export async function createDatabase(tool: string, file: string, origin: DatabaseOrigin): Promise<void> {
  if (!existsSync(origin.schemaFile)) {
    throw new EmbeddedFailure(
      'SCHEMA_MISSING',
      `the schema ${origin.schemaFile} is not installed`,
      'Install ovn-central: apt-get install --no-install-recommends ovn-central',
    );
  }
  if (existsSync(file)) {
    const answer = await run(tool, file, ['needs-conversion', file, origin.schemaFile]);
    if (answer.trim() === 'yes') await run(tool, file, ['convert', file, origin.schemaFile]);
    return;
  }
  // A crash half-way must not leave a database without its global row: the file gets its name last.
  const unfinished = `${file}.new`;
  rmSync(unfinished, { force: true });
  await run(tool, unfinished, ['create', unfinished, origin.schemaFile]);
  const insert = [origin.name, { op: 'insert', table: origin.globalTable, row: {} }];
  await run(tool, unfinished, ['transact', unfinished, JSON.stringify(insert)]);
  renameSync(unfinished, file);
}

async function run(tool: string, file: string, words: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)(tool, words, { env: {} })).stdout;
  } catch (cause) {
    const { stderr, message } = cause as Error & { stderr?: string };
    throw new EmbeddedFailure(
      'DATABASE_UNUSABLE',
      `ovsdb-tool ${words[0] ?? ''} failed on ${file}: ${(stderr ?? message).trim()}`,
      `Repair ${file}, or move it away to start with an empty network: it is built again from Git.`,
    );
  }
}
