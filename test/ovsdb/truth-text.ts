import type { AtomicType, Database, Row, Snapshot, Value } from '../../src/ovsdb/index.ts';
import type { ExactJson } from '../fuzz/exact-json.ts';
import { TRUTH_TABLES, type TruthColumn } from './truth-schema.ts';
import type { TruthRows } from './truth-server.ts';

/** One line a row, by `TABLE/UUID`: the columns that are asked for, or all. */
export type RowTexts = ReadonlyMap<string, string>;

type Columns = Readonly<Record<string, readonly string[]>>;

/** What ovsdb-client printed, in the form of `replicaTexts`. */
export function truthTexts(rows: TruthRows, columns?: Columns): RowTexts {
  const texts = new Map<string, string>();
  for (const [key, row] of rows) {
    const table = key.slice(0, key.indexOf('/'));
    const names = columnsOf(table, columns);
    if (names === undefined) continue;
    texts.set(
      key,
      names.map((name) => `${name}=${wireText(columnOf(table, name), row[name] ?? null)}`).join(' '),
    );
  }
  return texts;
}

/** The rows of a replica or of a snapshot. @throws when a value is not in the form that is promised. */
export function replicaTexts(replica: Pick<Database | Snapshot, 'rows'>, columns?: Columns): RowTexts {
  const texts = new Map<string, string>();
  for (const table of Object.keys(columns ?? TRUTH_TABLES)) {
    const names = columnsOf(table, columns) ?? [];
    for (const [uuid, row] of replica.rows(table))
      texts.set(`${table}/${uuid}`, rowText(table, names, uuid, row));
  }
  return texts;
}

/** What differs, one line a row. */
export function textDifferences(actual: RowTexts, expected: RowTexts): readonly string[] {
  const keys = new Set([...actual.keys(), ...expected.keys()]);
  return [...keys]
    .filter((key) => actual.get(key) !== expected.get(key))
    .map((key) => `${key}\n    is ${actual.get(key)}\n    not ${expected.get(key)}`);
}

function columnsOf(table: string, columns: Columns | undefined): readonly string[] | undefined {
  return columns === undefined ? Object.keys(TRUTH_TABLES[table]?.columns ?? {}) : columns[table];
}

function columnOf(table: string, name: string): TruthColumn {
  return TRUTH_TABLES[table]?.columns[name] as TruthColumn;
}

function rowText(table: string, names: readonly string[], uuid: string, row: Row): string {
  if (row._uuid !== uuid || Object.keys(row).length !== names.length + 1)
    throw new Error(`${uuid} has other columns`);
  return names.map((name) => `${name}=${valueText(columnOf(table, name), row[name])}`).join(' ');
}

/** A value as the wire has it, whatever the order of its members. */
export function wireText(column: TruthColumn, wire: ExactJson): string {
  const { key, value, max } = column;
  const [kind, members] = Array.isArray(wire) ? (wire as readonly ExactJson[]) : [];
  if (kind === 'map' && value !== undefined) {
    const pairs = (members as readonly (readonly ExactJson[])[]).map(
      ([k = null, v = null]) => `${wireAtom(key, k)}:${wireAtom(value, v)}`,
    );
    return `{${pairs.toSorted().join()}}`;
  }
  const atoms = (kind === 'set' ? (members as readonly ExactJson[]) : [wire]).map((atom) =>
    wireAtom(key, atom),
  );
  return max === 1 ? (atoms[0] ?? 'nothing') : `[${atoms.toSorted().join()}]`;
}

function wireAtom(type: AtomicType, wire: ExactJson): string {
  if (type === 'uuid') return (wire as readonly ['uuid', string])[1];
  if (type === 'integer') return `${wire as bigint}`;
  return type === 'real' ? realText(Number(wire)) : JSON.stringify(wire);
}

/** A value of a replica, in the form of `wireText`. @throws when it is not what the column promises. */
export function valueText(column: TruthColumn, value: Value): string {
  const { key, value: valueType, min, max } = column;
  if (valueType !== undefined) {
    const pairs = [...(value as ReadonlyMap<Value, Value>)];
    return `{${pairs
      .map(([k, v]) => `${atomText(key, k)}:${atomText(valueType, v)}`)
      .toSorted()
      .join()}}`;
  }
  if (max > 1) {
    const atoms = value as readonly (string | number)[];
    if (atoms.some((atom, at) => at > 0 && (atoms[at - 1] as number) >= (atom as number))) {
      throw new Error(`a set is not in order: ${atoms.join()}`);
    }
    return `[${atoms
      .map((atom) => atomText(key, atom))
      .toSorted()
      .join()}]`;
  }
  return min === 0 && value === undefined ? 'nothing' : atomText(key, value);
}

function atomText(type: AtomicType, atom: Value): string {
  if (type === 'uuid' && typeof atom === 'string') return atom;
  if (type === 'string' && typeof atom === 'string') return JSON.stringify(atom);
  if (type === 'boolean' && typeof atom === 'boolean') return String(atom);
  if (type === 'real' && typeof atom === 'number') return realText(atom);
  const isNumber = typeof atom === 'bigint' || typeof atom === 'number';
  const isExact = typeof atom === 'bigint' ? !Number.isSafeInteger(Number(atom)) : Number.isSafeInteger(atom);
  if (type !== 'integer' || !isNumber || !isExact) throw new Error(`${JSON.stringify(atom)} is no ${type}`);
  return String(atom);
}

/** The server writes a zero without its sign. */
function realText(real: number): string {
  return String(real === 0 ? 0 : real);
}
