import { type Result, fail, ok } from '../../lib/result.ts';
import { type DatabaseSchema, parseJson, parseSchema } from '../../ovsdb/index.ts';
import type { Fault } from '../fault.ts';

/** Reads a `.ovsschema` file, or the schema that `ovsdb dump --format json` wrote. */
export function schemaOfText(text: string, file: string): Result<DatabaseSchema, Fault> {
  const databaseFile = databaseFileFault(text, file);
  if (databaseFile !== undefined) return fail(databaseFile);
  let json: unknown;
  try {
    json = parseJson(text);
  } catch (error) {
    return fail({ message: `${file} is not JSON: ${(error as Error).message}`, hint: SCHEMA_HINT });
  }
  const inDump = (json as { readonly schema?: unknown } | null)?.schema;
  const schema = parseSchema(inDump ?? json);
  return schema.ok
    ? ok(schema.value)
    : fail({ message: `${file} is no schema: ${schema.error}`, hint: SCHEMA_HINT });
}

/** What to do with a file that only ovsdb-server can read; undefined for any other text. */
export function databaseFileFault(text: string, file: string): Fault | undefined {
  if (text.startsWith('OVSDB JSON ')) {
    return {
      message: `${file} is the file of a standalone database, which only ovsdb-server reads`,
      hint: `serve a copy of it: ovsdb-server --remote=punix:/tmp/copy.sock COPY; then name unix:/tmp/copy.sock`,
    };
  }
  if (text.startsWith('OVSDB CLUSTER ')) {
    return {
      message: `${file} is the file of a clustered database, which only ovsdb-server reads`,
      hint: `make a standalone copy of it: ovsdb-tool cluster-to-standalone COPY ${file}; then serve the copy`,
    };
  }
  return undefined;
}

const SCHEMA_HINT = 'give a .ovsschema file, a dump of "ovsdb dump --format json", or an endpoint';
