import { compareText, sortedSet } from '../../lib/order.ts';
import type { AtomicType, BaseType, ColumnSchema, DatabaseSchema, TableSchema } from '../protocol/schema.ts';
import { isSet, type Value } from '../protocol/value.ts';
import { TypeNames } from './type-names.ts';

export interface GenerateOptions {
  /** Only these tables; all when absent. */
  readonly tables?: readonly string[];
  /** Where the generated module finds this library. Default `ovn-gitops/ovsdb`. */
  readonly module?: string;
}

/**
 * Writes a TypeScript module for a schema: for each table a row as the replica holds it and what an insert takes, and one
 * interface of all tables, which `typed` and `TypedOperations` are told.
 */
export function generateTypes(schema: DatabaseSchema, options: GenerateOptions = {}): string {
  const { tables: wanted, module = 'ovn-gitops/ovsdb' } = options;
  const names = new TypeNames(schema.name);
  const tables = [...schema.tables.values()]
    .filter(({ name }) => wanted === undefined || wanted.includes(name))
    .toSorted((a, b) => compareText(a.name, b.name))
    .map((table) => ({ table, ...names.of(table.name) }));
  const types = tables.flatMap(({ table, row, insert }) => [rowType(table, row), insertType(table, insert)]);
  const members = tables.map(
    ({ table, row, insert }) =>
      `  readonly ${table.name}: { readonly row: ${row}; readonly insert: ${insert} };\n`,
  );
  const body = types.join('\n');
  const imports = ['RowName', 'RowUuid', 'Uuid'].filter((name) => new RegExp(`\\b${name}\\b`).test(body));
  return [
    `// Generated from the schema of ${schema.name} ${schema.version} by "ovn-gitops ovsdb generate". Do not edit.`,
    ...(imports.length === 0 ? [] : [`import type { ${imports.join(', ')} } from '${module}';`]),
    '',
    body,
    `/** The tables of ${schema.name}, for \`typed\` and \`TypedOperations\`. */`,
    `export interface ${names.tables} {\n${members.join('')}}\n`,
  ].join('\n');
}

function rowType(table: TableSchema, name: string): string {
  const members = columnsOf(table).map(
    (column) => `${comment(column)}  readonly ${column.name}: ${columnType(column, rowAtom)};\n`,
  );
  const root = table.isRoot ? '' : ' It vanishes when nothing refers to it.';
  return [
    `/** A row of ${table.name}.${root} */`,
    `export interface ${name} {`,
    `  readonly _uuid: RowUuid<'${table.name}'>;\n${members.join('')}}\n`,
  ].join('\n');
}

function insertType(table: TableSchema, name: string): string {
  const members = columnsOf(table).map((column) => {
    const mark = mayBeLeftOut(column) ? '?' : '';
    return `  readonly ${column.name}${mark}: ${columnType(column, insertAtom)};\n`;
  });
  return `/** What an insert into ${table.name} takes. */\nexport interface ${name} {\n${members.join('')}}\n`;
}

function columnsOf(table: TableSchema): readonly ColumnSchema[] {
  return [...table.columns.values()].toSorted((a, b) => compareText(a.name, b.name));
}

function columnType({ kind, key, value }: ColumnSchema, atomType: (base: BaseType) => string): string {
  const atom = atomType(key);
  switch (kind) {
    case 'scalar':
      return atom;
    case 'optional':
      return `${atom} | undefined`;
    case 'set':
      return atom.includes(' | ') ? `readonly (${atom})[]` : `readonly ${atom}[]`;
    case 'map':
      return `ReadonlyMap<${atom}, ${value === undefined ? 'never' : atomType(value)}>`;
  }
}

function rowAtom(base: BaseType): string {
  if (base.type === 'uuid') return base.refTable === undefined ? 'Uuid' : `RowUuid<'${base.refTable}'>`;
  if (base.enum !== undefined && base.type !== 'real') {
    const literals = base.enum.map((atom) => (typeof atom === 'string' ? quote(atom) : literal(atom)));
    return sortedSet(literals).join(' | ');
  }
  // Within these bounds no value needs a bigint.
  const isSmall = isSafe(base.minimum) && isSafe(base.maximum);
  return base.type === 'integer' && isSmall ? 'number' : ATOM_TYPES[base.type];
}

/** A reference may also name a row that the same transaction inserts. */
function insertAtom(base: BaseType): string {
  const atom = rowAtom(base);
  return base.refTable === undefined ? atom : `${atom} | RowName<'${base.refTable}'>`;
}

const ATOM_TYPES: Readonly<Record<AtomicType, string>> = {
  integer: 'number | bigint',
  real: 'number',
  boolean: 'boolean',
  string: 'string',
  uuid: 'Uuid',
};

function literal(atom: number | bigint | boolean): string {
  return typeof atom === 'bigint' ? `${atom}n` : String(atom);
}

function isSafe(bound: number | bigint | undefined): boolean {
  return typeof bound === 'number' && Number.isSafeInteger(bound);
}

/** Whether the default of the column (RFC 7047 5.2.1) is a value that its own schema allows. */
function mayBeLeftOut({ kind, key, value, defaultValue }: ColumnSchema): boolean {
  if (kind === 'optional') return true;
  const atoms = atomsOf(defaultValue);
  return atoms.every(([of, atom]) => allows(of === 'key' ? key : (value ?? key), atom));
}

function atomsOf(value: Value): readonly (readonly ['key' | 'value', unknown])[] {
  if (isSet(value)) return value.map((atom) => ['key', atom]);
  if (value instanceof Map)
    return [...value].flatMap(([k, v]: readonly [unknown, unknown]) => [
      ['key', k] as const,
      ['value', v] as const,
    ]);
  return [['key', value]];
}

function allows(base: BaseType, atom: unknown): boolean {
  if (base.type === 'uuid') return base.refTable === undefined;
  if (base.enum !== undefined && !base.enum.some((each) => each === atom)) return false;
  if (typeof atom === 'string') return (base.minLength ?? 0) === 0;
  if (typeof atom !== 'number') return true;
  return atom >= (base.minimum ?? atom) && atom <= (base.maximum ?? atom);
}

function comment({ key, value, min, max, kind, mutable }: ColumnSchema): string {
  const parts = [
    ...[key, value].flatMap((base) =>
      base?.refTable === undefined ? [] : [`${base.refType} reference to ${base.refTable}`],
    ),
    ...[key, value].flatMap((base) => (base === undefined ? [] : rangeText(base))),
    ...(kind === 'set' || kind === 'map' ? countText(min, max) : []),
    ...(mutable ? [] : ['only an insert can give it']),
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

function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
