import { type Result, fail, ok } from '../../lib/result.ts';
import {
  type Atom,
  type BaseType,
  type ColumnSchema,
  type DatabaseSchema,
  isSet,
  type Row,
  type TableSchema,
  type Value,
} from '../../ovsdb/index.ts';
import type { OptionSpec } from '../command.ts';
import { findColumn, findTable } from './table-selection.ts';
import type { RefText } from './value-text.ts';

/** `--where`, the same in dump and monitor. */
export const WHERE_OPTION: OptionSpec = {
  placeholder: 'CONDITIONS',
  isRepeatable: true,
  description:
    'only these rows, as in "Table: name=web, external_ids:site!=lab"; several for one table: any of them',
};

/** What a row must fulfil: all tests of one of its table's clauses. */
export interface Where {
  readonly clauses: ReadonlyMap<string, readonly (readonly Test[])[]>;
}

interface Test {
  readonly column: ColumnSchema;
  /** The key whose value is looked at; undefined for the column as a whole. */
  readonly key: Atom | undefined;
  readonly operator: Operator;
  readonly base: BaseType;
  /** Undefined: the column, or the value of the key, is empty. */
  readonly wanted: Atom | undefined;
}

type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** Reads the values of `--where`; all that is wrong with them is one sentence. */
export function parseWhere(schema: DatabaseSchema, texts: readonly string[]): Result<Where, string> {
  const clauses = new Map<string, (readonly Test[])[]>();
  const faults: string[] = [];
  for (const text of texts) {
    const [, name = '', rest = ''] = /^\s*(\w+)\s*:(.*)$/s.exec(text) ?? [];
    const table = findTable(schema, name);
    if (name === '') faults.push(`--where "${text}" is not TABLE: COLUMN=VALUE`);
    else if (!table.ok) faults.push(`--where "${text}": ${table.error}`);
    else {
      const tests = parts(rest).map((part) => parseTest(table.value, part));
      faults.push(...tests.flatMap((test) => (test.ok ? [] : [`--where "${text}": ${test.error}`])));
      const clause = tests.flatMap((test) => (test.ok ? [test.value] : []));
      clauses.set(name, [...(clauses.get(name) ?? []), clause]);
    }
  }
  return faults.length > 0 ? fail(faults.join('; ')) : ok({ clauses });
}

/** The columns that the conditions look at, as `TABLE.COLUMN`. */
export function columnsOfWhere({
  clauses,
}: Where): readonly (readonly [table: string, column: ColumnSchema])[] {
  return [...clauses].flatMap(([table, tests]) => tests.flat().map(({ column }) => [table, column] as const));
}

/** Whether a row fulfils the conditions of its table; a table without conditions takes all. */
export function fulfils({ clauses }: Where, table: string, row: Row, refText: RefText): boolean {
  const any = clauses.get(table);
  return any === undefined || any.some((tests) => tests.every((test) => passes(test, row, refText)));
}

const TEST = /^(\w+)(?::("(?:[^"\\]|\\.)*"|[^=!<>]+?))?\s*(==|!=|<=|>=|=|<|>)\s*(.*)$/s;

function parseTest(table: TableSchema, text: string): Result<Test, string> {
  const [, name = '', keyText, operatorText = '', valueText = ''] = TEST.exec(text.trim()) ?? [];
  if (name === '') return fail(`"${text.trim()}" is not COLUMN=VALUE`);
  const found = findColumn(table, name);
  if (!found.ok) return found;
  const column = found.value;
  if (column.kind === 'map' && keyText === undefined && valueText !== '')
    return fail(`${name} is a map: write ${name}:KEY=VALUE`);
  if (column.kind !== 'map' && keyText !== undefined) return fail(`${name} is not a map, it has no keys`);
  const base = keyText === undefined ? column.key : (column.value ?? column.key);
  const operator = operatorText === '==' ? '=' : (operatorText as Operator);
  const isOrder = operator !== '=' && operator !== '!=';
  if (isOrder && base.type !== 'integer' && base.type !== 'real')
    return fail(`${name} is not a number: ${operator} cannot order it`);
  const key = keyText === undefined ? ok(undefined) : parseAtom(column.key, unquoted(keyText));
  if (!key.ok) return key;
  const isEmpty = valueText === '' && (base.type !== 'string' || column.kind !== 'scalar');
  if (isEmpty && isOrder) return fail(`"${text.trim()}" has no value`);
  const wanted = isEmpty ? ok(undefined) : parseAtom(base, unquoted(valueText));
  return wanted.ok ? ok({ column, key: key.value, operator, base, wanted: wanted.value }) : wanted;
}

function parseAtom(base: BaseType, text: string): Result<Atom, string> {
  switch (base.type) {
    case 'integer': {
      if (!/^[-+]?\d+$/.test(text)) return fail(`"${text}" is not an integer`);
      const number = Number(text);
      return ok(Number.isSafeInteger(number) ? number : BigInt(text));
    }
    case 'real':
      return text === '' || !Number.isFinite(Number(text))
        ? fail(`"${text}" is not a number`)
        : ok(Number(text));
    case 'boolean':
      return text === 'true' || text === 'false'
        ? ok(text === 'true')
        : fail(`"${text}" is not true or false`);
    case 'string':
    case 'uuid':
      return ok(text);
  }
}

function passes({ column, key, operator, base, wanted }: Test, row: Row, refText: RefText): boolean {
  const atoms = atomsOf(row[column.name], key);
  const equals = (atom: Atom): boolean =>
    atom === wanted || (base.type === 'uuid' && refText(base.refTable, atom as never) === wanted);
  const has = wanted === undefined ? atoms.length === 0 : atoms.some(equals);
  switch (operator) {
    case '=':
      return has;
    case '!=':
      return !has;
    case '<':
      return atoms.some((atom) => wanted !== undefined && atom < wanted);
    case '<=':
      return atoms.some((atom) => wanted !== undefined && atom <= wanted);
    case '>':
      return atoms.some((atom) => wanted !== undefined && atom > wanted);
    case '>=':
      return atoms.some((atom) => wanted !== undefined && atom >= wanted);
  }
}

function atomsOf(value: Value, key: Atom | undefined): readonly Atom[] {
  if (value === undefined) return [];
  if (isSet(value)) return value;
  if (typeof value !== 'object') return [value];
  if (key === undefined) return [...value.keys()];
  const atom = value.get(key);
  return atom === undefined ? [] : [atom];
}

/** Cuts at commas outside quotes. */
function parts(text: string): readonly string[] {
  return (text.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/gs) ?? ['']).map((part) => part.trim());
}

function unquoted(text: string): string {
  if (!/^".*"$/s.test(text)) return text;
  try {
    return JSON.parse(text) as string;
  } catch {
    return text.slice(1, -1);
  }
}
