import { stringifyJson } from '../protocol/json.ts';
import type { Condition } from '../protocol/operation.ts';
import { type DatabaseSchema, parseSchema } from '../protocol/schema.ts';
import type { Selection } from '../replica/replica.ts';
import { type Conditions, type WantedTables, selectTables } from '../replica/selection.ts';
import { OvsdbError } from './error.ts';

/** What a replica is to hold, spelled out for one schema. */
export interface Plan {
  readonly schema: DatabaseSchema;
  /** The schema in a form that is equal for equal schemas. */
  readonly schemaText: string;
  readonly selection: Selection;
  readonly conditions: Conditions;
}

/**
 * Spells out what is wanted of a database with this schema.
 *
 * @throws OvsdbError `unsuitable-schema` or `bad-condition`; Error for a schema that cannot be read.
 */
export function planOf(database: string, json: unknown, wanted: WantedTables | undefined): Plan {
  const schema = parseSchema(json);
  if (!schema.ok) throw new Error(`the schema of ${database} cannot be read: ${schema.error}`);
  return replan(schema.value, canonicalText(json), wanted);
}

/** The same for a schema that was read already. @throws OvsdbError `unsuitable-schema` or `bad-condition`. */
export function replan(schema: DatabaseSchema, schemaText: string, wanted: WantedTables | undefined): Plan {
  const { selection, conditions, missing, faults } = selectTables(schema, wanted);
  if (missing.length > 0) {
    throw new OvsdbError(
      'unsuitable-schema',
      `database ${schema.name} ${schema.version} has no ${missing.join(', ')}`,
      'ask for tables and columns that its schema has, or upgrade the server',
    );
  }
  if (faults.length > 0) throw badCondition(faults.join('; '));
  return { schema, schemaText, selection, conditions };
}

/** A condition that cannot be met. */
export function badCondition(reason: string): OvsdbError {
  return new OvsdbError(
    'bad-condition',
    `a condition cannot be used: ${reason}`,
    'write conditions as RFC 7047 5.1 does, with values of the column’s type',
  );
}

/** Whether rows made for one plan have the form that the other one wants. */
export function haveSameRows(a: Plan, b: Plan): boolean {
  return a.schemaText === b.schemaText && textOf(a.selection) === textOf(b.selection);
}

/** Whether two plans of the same rows want the same of them. */
export function haveSameConditions(a: Plan, b: Plan): boolean {
  return textOf(a.conditions) === textOf(b.conditions);
}

/** The `where` of a monitored table: to the server an empty list would mean every row. */
export function whereOf(conditions: Conditions, table: string): readonly (Condition | boolean)[] {
  const wanted = conditions.get(table);
  return wanted === undefined ? [true] : wanted.length === 0 ? [false] : wanted;
}

/** JSON with the members of every object in order. */
export function canonicalText(json: unknown): string {
  return stringifyJson(ordered(json));
}

function ordered(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(ordered);
  if (typeof json !== 'object' || json === null) return json;
  const members = Object.entries(json).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, value]) => [name, ordered(value)]));
}

function textOf(map: ReadonlyMap<string, unknown>): string {
  return stringifyJson([...map]);
}
