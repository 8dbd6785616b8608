import { type Result, fail, ok } from '../../lib/result.ts';
import type { Atom, Value } from './value.ts';

/** RFC 7047 3.2 `<atomic-type>`. */
export type AtomicType = 'integer' | 'real' | 'boolean' | 'string' | 'uuid';

/** RFC 7047 3.2 `<base-type>`: what a column's keys or values may be. */
export interface BaseType {
  readonly type: AtomicType;
  readonly enum: readonly Atom[] | undefined;
  readonly refTable: string | undefined;
  /** A strong reference keeps its row alive; a weak one vanishes with it. Undefined without `refTable`. */
  readonly refType: 'strong' | 'weak' | undefined;
  /** Bounds of integers and reals. */
  readonly minimum: number | bigint | undefined;
  readonly maximum: number | bigint | undefined;
  /** Bounds of a string's length in characters. */
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
}

/** How many atoms a column holds: exactly one, at most one, several, or pairs of keys and values. */
export type ColumnKind = 'scalar' | 'optional' | 'set' | 'map';

/** RFC 7047 3.2 `<column-schema>`, with what a missing member means filled in. */
export interface ColumnSchema {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly key: BaseType;
  /** Undefined unless the column is a map. */
  readonly value: BaseType | undefined;
  readonly min: 0 | 1;
  /** `Infinity` for "unlimited". */
  readonly max: number;
  readonly mutable: boolean;
  readonly ephemeral: boolean;
  /** What a new row has when the insert does not say otherwise (RFC 7047 5.2.1). */
  readonly defaultValue: Value;
}

/** RFC 7047 3.2 `<table-schema>`. */
export interface TableSchema {
  readonly name: string;
  readonly columns: ReadonlyMap<string, ColumnSchema>;
  /** A row of a table that is not root is deleted when no strong reference to it is left. */
  readonly isRoot: boolean;
  /** Sets of columns whose values together are unique. */
  readonly indexes: readonly (readonly string[])[];
}

/** RFC 7047 3.2 `<database-schema>`. */
export interface DatabaseSchema {
  readonly name: string;
  readonly version: string;
  readonly tables: ReadonlyMap<string, TableSchema>;
}

/** Reads a `<database-schema>` (RFC 7047 3.2) that was parsed from JSON. The error says where it is wrong. */
export function parseSchema(json: unknown): Result<DatabaseSchema, string> {
  try {
    return ok(readDatabase(json));
  } catch (error) {
    if (error instanceof SchemaFault) return fail(error.message);
    throw error;
  }
}

class SchemaFault extends Error {}

type Members = Readonly<Record<string, unknown>>;

function readDatabase(json: unknown): DatabaseSchema {
  const { name, version, tables } = members(json, 'schema');
  const entries = Object.entries(members(tables, 'tables'));
  // RFC 7047 3.2: a schema in which no table says isRoot has only root tables.
  const allRoot = entries.every(([, table]) => members(table, 'table')['isRoot'] !== true);
  return {
    name: text(name, 'name'),
    version: version === undefined ? '' : text(version, 'version'),
    tables: new Map(entries.map(([name, table]) => [id(name), readTable(name, table, allRoot)])),
  };
}

function readTable(name: string, json: unknown, allRoot: boolean): TableSchema {
  const { columns, isRoot, indexes } = members(json, name);
  const entries = Object.entries(members(columns, `${name}.columns`));
  return {
    name,
    columns: new Map(entries.map(([column, schema]) => [id(column), readColumn(name, column, schema)])),
    isRoot: allRoot || isRoot === true,
    indexes: (indexes ?? []) as readonly (readonly string[])[],
  };
}

function readColumn(table: string, name: string, json: unknown): ColumnSchema {
  const where = `${table}.${name}`;
  if (name.startsWith('_')) throw new SchemaFault(`${where}: names with a leading underscore are reserved`);
  const { type, mutable, ephemeral } = members(json, where);
  const { key, value, min = 1, max = 1 } = typeof type === 'string' ? { key: type } : members(type, where);
  const keyType = baseType(key, where);
  const valueType = value === undefined ? undefined : baseType(value, where);
  const [least, most] = [bound(min, where) as 0 | 1, bound(max, where)];
  const kind = valueType !== undefined ? 'map' : most > 1 ? 'set' : least === 1 ? 'scalar' : 'optional';
  return {
    name,
    kind,
    key: keyType,
    value: valueType,
    min: least,
    max: most,
    mutable: mutable !== false,
    ephemeral: ephemeral === true,
    defaultValue: defaultValue(kind, least, keyType, valueType),
  };
}

function baseType(json: unknown, where: string): BaseType {
  const base = typeof json === 'string' ? { type: json } : members(json, where);
  const type = base['type'];
  if (!isAtomicType(type)) throw new SchemaFault(`${where}: unknown type ${String(type)}`);
  const refTable = base['refTable'] as string | undefined;
  return {
    type,
    enum: base['enum'] === undefined ? undefined : enumValues(base['enum']),
    refTable,
    refType: refTable === undefined ? undefined : base['refType'] === 'weak' ? 'weak' : 'strong',
    minimum: (base['minInteger'] ?? base['minReal']) as number | bigint | undefined,
    maximum: (base['maxInteger'] ?? base['maxReal']) as number | bigint | undefined,
    minLength: base['minLength'] as number | undefined,
    maxLength: base['maxLength'] as number | undefined,
  };
}

function enumValues(json: unknown): readonly Atom[] {
  return Array.isArray(json) && json[0] === 'set' ? (json[1] as readonly Atom[]) : [json as Atom];
}

function bound(json: unknown, where: string): number {
  if (json === 'unlimited') return Infinity;
  if (typeof json !== 'number') throw new SchemaFault(`${where}: min and max must be numbers or "unlimited"`);
  return json;
}

function defaultValue(kind: ColumnKind, min: 0 | 1, key: BaseType, value: BaseType | undefined): Value {
  const atom = DEFAULT_ATOMS[key.type];
  switch (kind) {
    case 'scalar':
      return atom;
    case 'optional':
      return undefined;
    case 'set':
      return min === 0 ? [] : [atom];
    case 'map':
      return new Map(min === 0 || value === undefined ? [] : [[atom, DEFAULT_ATOMS[value.type]]]);
  }
}

const DEFAULT_ATOMS: Readonly<Record<AtomicType, Atom>> = {
  integer: 0,
  real: 0,
  boolean: false,
  string: '',
  uuid: '00000000-0000-0000-0000-000000000000',
};

function isAtomicType(type: unknown): type is AtomicType {
  return typeof type === 'string' && Object.hasOwn(DEFAULT_ATOMS, type);
}

function id(name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new SchemaFault(`${name} is not a valid name`);
  return name;
}

function text(json: unknown, where: string): string {
  if (typeof json !== 'string') throw new SchemaFault(`${where} must be a string`);
  return json;
}

function members(json: unknown, where: string): Members {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new SchemaFault(`${where} must be an object`);
  }
  return json as Members;
}
