import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { NEW_COLUMN } from './network-truth.ts';

const NB_SCHEMA = '/usr/share/ovn/ovn-nb.ovsschema';

/** Upgrades the Northbound to a schema with one more table and column, lets something happen, and takes it back again. */
export async function convertThereAndBack(endpoint: string, meanwhile: () => Promise<void>): Promise<void> {
  const dir = mkdtempSync(path.join(tmpdir(), 'ovsschema-'));
  const file = path.join(dir, 'newer.ovsschema');
  try {
    const schema = JSON.parse(readFileSync(NB_SCHEMA, 'utf8')) as {
      version: string;
      cksum?: string;
      tables: Record<string, { columns: Record<string, unknown>; isRoot?: boolean }>;
    };
    schema.version = '7.99.0';
    delete schema.cksum;
    schema.tables['Novelty'] = { columns: { name: { type: 'string' } }, isRoot: true };
    for (const table of ['Logical_Switch', 'NB_Global']) {
      (schema.tables[table] as { columns: Record<string, unknown> }).columns[NEW_COLUMN] = {
        type: 'integer',
      };
    }
    writeFileSync(file, JSON.stringify(schema));
    await convert(endpoint, file);
    await meanwhile();
    await convert(endpoint, NB_SCHEMA);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function convert(endpoint: string, schemaFile: string): Promise<void> {
  await promisify(execFile)('ovsdb-client', ['--timeout=30', 'convert', endpoint, schemaFile]);
}
