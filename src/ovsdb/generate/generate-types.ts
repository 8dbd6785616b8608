import { compareText, sortedSet } from '../../lib/order.ts';
import { type Result, fail, ok } from '../../lib/result.ts';
import { parseJson } from '../protocol/json.ts';
import {
  type AtomicType,
  type BaseType,
  type ColumnSchema,
  type DatabaseSchema,
  type TableSchema,
  parseSchema,
} from '../protocol/schema.ts';

/**
 * Writes a TypeScript module with one readonly interface per table of an `.ovsschema` file, as rows of the replica are:
 * `import type { LogicalSwitch } from './nb-tables.ts'`. The error says what is wrong with the schema.
 */
export function generateTypes(
  schemaJson: string,
  ovsdbModule: string = 'ovn-gitops/ovsdb',
): Result<string, string> {
  let json: unknown;
  try {
    json = parseJson(schemaJson);
  } catch (error) {
    return fail(`the schema is not JSON: ${String(error)}`);
  }
  const schema = parseSchema(json);
  return schema.ok ? ok(moduleText(schema.value, ovsdbModule)) : schema;
}

function moduleText(schema: DatabaseSchema, ovsdbModule: string): string {
  const tables = [...schema.tables.values()].toSorted((a, b) => compareText(a.name, b.name));
  const interfaces = tables.map(interfaceText).join('\n');
  const members = tables.map(({ name }) => `  readonly ${name}: ${typeName(name)};\n`).join('');
  return [
    `// Generated from the schema of ${schema.name} ${schema.version}. Do not edit.`,
    `import type { Uuid } from '${ovsdbModule}';`,
    '',
    interfaces,
    `/** Every table of ${schema.name} with the type of its rows. */`,
    `export interface ${typeName(schema.name)}Tables {\n${members}}\n`,
  ].join('\n');
}

function interfaceText(table: TableSchema): string {
  const columns = [...table.columns.values()].toSorted((a, b) => compareText(a.name, b.name));
  const members = columns.map(
    (column) => `${comment(column)}  readonly ${column.name}: ${columnType(column)};\n`,
  );
  const root = table.isRoot ? '' : ' A row vanishes when nothing refers to it.';
  return [
    `/** A row of ${table.name}.${root} */`,
    `export interface ${typeName(table.name)} {`,
    `  readonly _uuid: Uuid;\n${members.join('')}}\n`,
  ].join('\n');
}

function columnType({ kind, key, value }: ColumnSchema): string {
  const atom = atomType(key);
  switch (kind) {
    case 'scalar':
      return atom;
    case 'optional':
      return `${atom} | undefined`;
    case 'set':
      return atom.includes(' ') ? `readonly (${atom})[]` : `readonly ${atom}[]`;
    case 'map':
      return `ReadonlyMap<${atom}, ${value === undefined ? 'never' : atomType(value)}>`;
  }
}

function atomType(base: BaseType): string {
  if (base.enum === undefined || base.type === 'real') return ATOM_TYPES[base.type];
  const literals = base.enum.map((atom) => (typeof atom === 'string' ? quote(atom) : String(atom)));
  return sortedSet(literals).join(' | ');
}

const ATOM_TYPES: Readonly<Record<AtomicType, string>> = {
  integer: 'number | bigint',
  real: 'number',
  boolean: 'boolean',
  string: 'string',
  uuid: 'Uuid',
};

function comment({ key, value, min, max, kind }: ColumnSchema): string {
  const parts = [
    ...[key, value].flatMap((base) =>
      base?.refTable === undefined ? [] : [`${base.refType} reference to ${base.refTable}`],
    ),
    ...[key, value].flatMap((base) => (base === undefined ? [] : rangeText(base))),
    ...(kind === 'set' || kind === 'map' ? countText(min, max) : []),
  ];
  return parts.length === 0 ? '' : `  /** ${parts.join('; ')} */\n`;
}

function rangeText({ minimum, maximum, minLength, maxLength }: BaseType): readonly string[] {
  return [...bounds(minimum, maximum, ''), ...bounds(minLength, maxLength, 'length ')];
}

function bounds(
  least: number | bigint | undefined,
  most: number | bigint | undefined,
  of: string,
): readonly string[] {
  return least === undefined && most === undefined ? [] : [`${of}${least ?? ''}..${most ?? ''}`];
}

function countText(min: number, max: number): readonly string[] {
  if (max === Infinity) return min === 0 ? [] : ['at least one'];
  return [`${min} to ${max} elements`];
}

/** `Logical_Switch` -> `LogicalSwitch`, `OVN_Northbound` -> `OVNNorthbound`. */
function typeName(name: string): string {
  return name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
