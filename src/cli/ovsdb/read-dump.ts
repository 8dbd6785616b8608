import { type Result, fail, ok } from '../../lib/result.ts';
import {
  type Atom,
  type BaseType,
  type ColumnSchema,
  type DatabaseSchema,
  isUuid,
  parseJson,
  parseSchema,
  type Row,
  type TableSchema,
  type Uuid,
  type Value,
} from '../../ovsdb/index.ts';
import type { Fault } from '../fault.ts';
import { shown } from './check-value.ts';
import { databaseFileFault } from './schema-of.ts';

/** The rows of a database, wherever they come from. */
export interface Side {
  /** The file or the endpoint. */
  readonly name: string;
  readonly schema: DatabaseSchema;
  /** Whether tables, columns or rows were left out. */
  readonly isPartial: boolean;
  rows(table: string): ReadonlyMap<Uuid, Row>;
}

/** Reads what `ovsdb dump --format json` wrote; the error says what the file is instead, and what to do with it. */
export function readDump(text: string, file: string): Result<Side, Fault> {
  const databaseFile = databaseFileFault(text, file);
  if (databaseFile !== undefined) return fail(databaseFile);
  let json: unknown;
  try {
    json = parseJson(text);
  } catch (error) {
    return fail({ message: `${file} is not JSON: ${(error as Error).message}`, hint: DUMP_HINT });
  }
  const dump: Readonly<Record<string, unknown>> = isObject(json) ? json : {};
  if (isObject(dump['tables']) && dump['schema'] === undefined && parseSchema(json).ok) {
    return fail({
      message: `${file} is a schema: it has no rows to compare`,
      hint: `"ovn-gitops ovsdb generate" reads schemas; ${DUMP_HINT}`,
    });
  }
  const schema = parseSchema(dump['schema']);
  if (!schema.ok || !isObject(dump['tables']))
    return fail({ message: `${file} is not a dump of a database`, hint: DUMP_HINT });
  const tables = new Map<string, ReadonlyMap<Uuid, Row>>();
  const faults: string[] = [];
  for (const [name, rows] of Object.entries(dump['tables'])) {
    const table = schema.value.tables.get(name);
    if (table === undefined) faults.push(`tables.${name}: the schema in the file has no such table`);
    else tables.set(name, readRows(table, rows, faults));
  }
  if (faults.length > 0)
    return fail({ message: `${file} is damaged: ${faults.slice(0, 5).join('; ')}`, hint: DUMP_HINT });
  const isPartial = dump['partial'] === true;
  return ok({ name: file, schema: schema.value, isPartial, rows: (table) => tables.get(table) ?? NO_ROWS });
}

const NO_ROWS: ReadonlyMap<Uuid, Row> = new Map();
const DUMP_HINT = 'write one with "ovn-gitops ovsdb dump ENDPOINT --format json", or name an endpoint';

function readRows(table: TableSchema, json: unknown, faults: string[]): ReadonlyMap<Uuid, Row> {
  const rows = new Map<Uuid, Row>();
  for (const [uuid, columns] of Object.entries(isObject(json) ? json : {})) {
    const place = `tables.${table.name}.${uuid}`;
    if (!isUuid(uuid)) faults.push(`${place}: not a uuid`);
    else if (isObject(columns)) rows.set(uuid, readRow(table, uuid, columns, place, faults));
    else faults.push(`${place}: ${shown(columns)} is not an object of columns`);
  }
  return rows;
}

function readRow(
  table: TableSchema,
  uuid: Uuid,
  json: Readonly<Record<string, unknown>>,
  place: string,
  faults: string[],
): Row {
  const row: Record<string, Value> & { _uuid: Uuid } = { _uuid: uuid };
  for (const [name, column] of table.columns) {
    try {
      row[name] = json[name] === undefined ? column.defaultValue : readValue(column, json[name]);
    } catch (error) {
      faults.push(`${place}.${name}: ${(error as Error).message}`);
    }
  }
  for (const name of Object.keys(json))
    if (!table.columns.has(name)) faults.push(`${place}.${name}: the schema in the file has no such column`);
  return row;
}

/** The value that `jsonValue` wrote. @throws Error that says what it is instead. */
function readValue({ kind, key, value }: ColumnSchema, json: unknown): Value {
  switch (kind) {
    case 'scalar':
      return readAtom(key, json);
    case 'optional':
      return json === null ? undefined : readAtom(key, json);
    case 'set':
      if (!Array.isArray(json)) throw new Error(`${shown(json)} is not an array`);
      return json.map((atom) => readAtom(key, atom)).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    case 'map':
      if (!isObject(json)) throw new Error(`${shown(json)} is not an object`);
      return new Map(Object.entries(json).map(([k, v]) => [readKey(key, k), readAtom(value ?? key, v)]));
  }
}

function readAtom({ type }: BaseType, json: unknown): Atom {
  const isOfType =
    type === 'integer'
      ? typeof json === 'bigint' || Number.isInteger(json)
      : type === 'real'
        ? typeof json === 'number'
        : typeof json === (type === 'boolean' ? 'boolean' : 'string');
  if (!isOfType) throw new Error(`${shown(json)} is not of type ${type}`);
  return json as Atom;
}

/** Keys of JSON objects are texts, whatever they stand for. */
function readKey(base: BaseType, text: string): Atom {
  if (base.type === 'string' || base.type === 'uuid') return text;
  return readAtom(base, parseJson(text));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
