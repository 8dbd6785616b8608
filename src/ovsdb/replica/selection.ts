import { decodeValue } from '../protocol/notation.ts';
import type { Condition } from '../protocol/operation.ts';
import type { ColumnSchema, DatabaseSchema, TableSchema } from '../protocol/schema.ts';
import { ProtocolError } from '../protocol/value.ts';
import type { Selection } from './replica.ts';

/** The columns that are wanted of a table, and of which rows. */
export interface WantedRows {
  /** Default `all`. Conditions may also be about other columns. */
  readonly columns?: readonly string[] | 'all';
  /**
   * Rows that meet at least one of these; no row when there are none (ovsdb-server(7) 4.1.12; mind that the `where` of
   * an operation asks for all of its conditions). Absent means every row. A row that comes to meet them appears in the
   * replica, one that no longer does goes away. Needs a server with `monitor_cond` (Open vSwitch 2.6).
   */
  readonly whereAny?: readonly Condition[];
}

/** The tables, columns and rows that a client wants; absent means everything. */
export type WantedTables = Readonly<Record<string, readonly string[] | 'all' | WantedRows>>;

/** The conditions of the tables of which not every row is wanted. */
export type Conditions = ReadonlyMap<string, readonly Condition[]>;

/** What is wanted, spelled out, with what is wrong with it. */
export interface SelectedTables {
  readonly selection: Selection;
  readonly conditions: Conditions;
  /** Tables and columns (`Table.column`) that the schema does not have. */
  readonly missing: readonly string[];
  /** Conditions that no row could be held against, each with the reason. */
  readonly faults: readonly string[];
}

/** Spells out what is wanted of a database. */
export function selectTables(schema: DatabaseSchema, wanted: WantedTables | undefined): SelectedTables {
  const missing: string[] = [];
  const faults: string[] = [];
  const selection = new Map<string, readonly string[]>();
  const conditions = new Map<string, readonly Condition[]>();
  const entries =
    wanted === undefined ? [...schema.tables.keys()].map((t) => [t, 'all'] as const) : Object.entries(wanted);
  for (const [name, rows] of entries) {
    const table = schema.tables.get(name);
    if (table === undefined) {
      missing.push(name);
      continue;
    }
    const { columns = 'all', whereAny } = isWantedRows(rows) ? rows : { columns: rows };
    const names = columns === 'all' ? [...table.columns.keys()] : columns;
    const asked = new Set([...names, ...(whereAny ?? []).map(([column]) => column)]);
    missing.push(
      ...[...asked].filter((column) => !hasColumn(table, column)).map((column) => `${name}.${column}`),
    );
    selection.set(name, names);
    if (whereAny === undefined) continue;
    conditions.set(name, whereAny);
    faults.push(...whereAny.flatMap((condition) => faultOf(table, condition)));
  }
  return { selection, conditions, missing, faults };
}

function isWantedRows(rows: readonly string[] | 'all' | WantedRows): rows is WantedRows {
  return typeof rows === 'object' && !Array.isArray(rows);
}

/** Every row has `_uuid` and `_version`, but they can be asked for in conditions only. */
function hasColumn(table: TableSchema, column: string): boolean {
  return table.columns.has(column) || column === '_uuid' || column === '_version';
}

/** Ordering is for columns of at most one number (ovsdb-server(7) 5.1). */
function faultOf(table: TableSchema, [name, test, value]: Condition): readonly string[] {
  const column = table.columns.get(name);
  if (column === undefined) return [];
  if (!EQUALITIES.has(test) && !(isNumber(column) && column.max === 1)) {
    return [`${table.name}.${name} has no order that "${test}" could be about`];
  }
  try {
    decodeValue(column, value);
    return [];
  } catch (error) {
    if (error instanceof ProtocolError) return [`${table.name}.${name} ${test}: ${error.message}`];
    throw error;
  }
}

function isNumber({ kind, key }: ColumnSchema): boolean {
  return kind !== 'map' && (key.type === 'integer' || key.type === 'real');
}

const EQUALITIES: ReadonlySet<string> = new Set(['==', '!=', 'includes', 'excludes']);
