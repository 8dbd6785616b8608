import { randomUUID } from 'node:crypto';
import { invariant } from '../../lib/invariant.ts';
import { encodeRow, encodeValue } from '../protocol/notation.ts';
import type { Condition, ConditionFunction, Mutation, Operation } from '../protocol/operation.ts';
import type { ColumnSchema, DatabaseSchema, TableSchema } from '../protocol/schema.ts';
import { type Uuid, type Value, type WireRow, type WireValue, isSet } from '../protocol/value.ts';
import { type BuiltOutcome, type Step, readBuiltOutcome } from './built-outcome.ts';
import { probeClientUuid } from './client-uuid.ts';
import type { Database, TransactOptions } from './database.ts';
import { nameNewRows } from './new-rows.ts';

/** Some columns of a row, as rows of the replica hold them. */
export type ColumnValues = Readonly<Record<string, Value>>;

/** `[column, function, value]` with a value as rows of the replica hold it; `_uuid` is a column, too. */
export type RowCondition = readonly [column: string, test: ConditionFunction, value: Value];

/**
 * `[column, mutator, value]`: for `insert` and `delete` a set (or one atom) or a map, to delete from a map also a set of
 * keys; for arithmetic a number.
 */
export type RowMutation = readonly [column: string, mutator: Mutation[1], value: Value];

/** How a guard compares and waits. */
export interface GuardOptions {
  /** Whether the rows must be these, or must not. Default `==`. */
  readonly until?: '==' | '!=';
  /** How long the server waits for that, in whole milliseconds. Default 0: it answers at once. */
  readonly timeoutMs?: number;
}

/**
 * Collects a transaction. Whatever the order of the calls: locks are asserted first, then come all guards, so that none
 * sees what the transaction itself writes, then the changes in the order of the calls, then the comment.
 *
 * New rows have their uuid at once, whatever the server; where it lets no client choose, `commit` names them for the
 * server and the outcome translates.
 *
 * A call that does not fit the schema throws: that is a mistake of the program.
 */
export class TransactionBuilder {
  readonly #schema: DatabaseSchema;
  readonly #locks: Operation[] = [];
  readonly #guards = new Map<string, Operation>();
  readonly #changes: Operation[] = [];
  readonly #comments: Operation[] = [];

  constructor(schema: DatabaseSchema) {
    this.#schema = schema;
  }

  /** Commit only while the lock is ours (RFC 7047 5.2.10). */
  assertLock(name: string): this {
    return this.#add({ op: 'assert', lock: name });
  }

  /** What the server's log says of the transaction (RFC 7047 5.2.9). */
  comment(text: string): this {
    return this.#add({ op: 'comment', comment: text });
  }

  /** Commit only if `columns` of the rows that `where` finds are `rows` (RFC 7047 5.2.6). */
  guard(
    table: string,
    where: readonly RowCondition[],
    columns: readonly string[],
    rows: readonly ColumnValues[],
    { until = '==', timeoutMs = 0 }: GuardOptions = {},
  ): this {
    return this.#add({
      op: 'wait',
      timeout: timeoutMs,
      table,
      where: this.#where(table, where),
      columns,
      until,
      rows: rows.map((row) => this.#row(table, row)),
    });
  }

  /** Commit only if the row exists and its columns have these values. */
  guardRow(table: string, uuid: Uuid, values: ColumnValues = {}): this {
    return this.guard(
      table,
      [['_uuid', '==', uuid]],
      ['_uuid', ...Object.keys(values)],
      [{ ...values, _uuid: uuid }],
    );
  }

  /** Commit only if no row meets all conditions. */
  guardAbsent(table: string, where: readonly RowCondition[]): this {
    return this.guard(table, where, ['_uuid'], []);
  }

  /**
   * A new row. Returns its uuid, for other rows to refer to; one that is derived from what the row stands for makes a
   * repeated transaction fail as a duplicate, where the server lets clients choose.
   */
  insert(table: string, row: ColumnValues, uuid: Uuid = randomUUID() as Uuid): Uuid {
    this.#step({ op: 'insert', table, row: this.#row(table, row), uuid });
    return uuid;
  }

  /** Writes whole columns of one row. */
  update(table: string, uuid: Uuid, row: ColumnValues): Step {
    return this.#step({ op: 'update', table, where: whereUuid(uuid), row: this.#row(table, row) });
  }

  /** Changes members of sets and maps, or numbers, and sends nothing of what stays. */
  mutate(table: string, uuid: Uuid, mutations: readonly RowMutation[]): Step {
    const schema = this.#table(table);
    const encoded = mutations.map((mutation) => encodeMutation(schema, mutation));
    return this.#step({ op: 'mutate', table, where: whereUuid(uuid), mutations: encoded });
  }

  /** Deletes one row. */
  delete(table: string, uuid: Uuid): Step {
    return this.#step({ op: 'delete', table, where: whereUuid(uuid) });
  }

  /** Reads rows in the same transaction: what the changes before it made of them. */
  select(table: string, where: readonly RowCondition[], columns?: readonly string[]): Step {
    const chosen = columns === undefined ? {} : { columns };
    return this.#step({ op: 'select', table, where: this.#where(table, where), ...chosen });
  }

  /** The transaction for a server that lets clients choose uuids, or for one that does not. */
  operations(clientUuids: boolean): readonly Operation[] {
    const all = [...this.#locks, ...this.#guards.values(), ...this.#changes, ...this.#comments];
    return clientUuids ? all : nameNewRows(this.#schema, all);
  }

  /**
   * Runs the transaction; never rejects. What guards refuse was not written: read again and decide anew. After `unknown`
   * do the same once the database is `resynced`, because it may have been committed.
   */
  async commit(database: Database, options: TransactOptions = {}): Promise<BuiltOutcome> {
    const inserts = this.#changes.some(({ op }) => op === 'insert');
    const clientUuids = inserts ? await probeClientUuid(database) : true;
    if (clientUuids === undefined) return { kind: 'unsent', reason: `the database is ${database.state}` };
    const operations = this.operations(clientUuids);
    const outcome = await database.transact(operations, options);
    const firstChange = this.#locks.length + this.#guards.size;
    return readBuiltOutcome(outcome, {
      schema: this.#schema,
      operations,
      firstChange,
      changes: this.#changes,
    });
  }

  #add(operation: Operation & { readonly op: 'assert' | 'comment' | 'wait' }): this {
    if (operation.op === 'assert') this.#locks.push(operation);
    else if (operation.op === 'comment') this.#comments.push(operation);
    else {
      const { timeout } = operation;
      invariant(Number.isSafeInteger(timeout) && timeout >= 0, 'a guard waits for whole milliseconds');
      this.#guards.set(JSON.stringify(operation, bigintText), operation);
    }
    return this;
  }

  #step(operation: Operation): Step {
    return { change: this.#changes.push(operation) - 1 };
  }

  #where(table: string, conditions: readonly RowCondition[]): readonly Condition[] {
    const schema = this.#table(table);
    return conditions.map(([name, test, value]) => [name, test, encodeColumn(schema, name, value)]);
  }

  #row(table: string, { _uuid, ...row }: ColumnValues): WireRow {
    const wire = encodeRow(this.#table(table), row);
    return _uuid === undefined ? wire : { ...wire, _uuid: ['uuid', _uuid as Uuid] };
  }

  #table(name: string): TableSchema {
    const table = this.#schema.tables.get(name);
    invariant(table !== undefined, `the schema has no table ${name}`);
    return table;
  }
}

function whereUuid(uuid: Uuid): readonly Condition[] {
  return [['_uuid', '==', ['uuid', uuid]]];
}

function encodeColumn(table: TableSchema, name: string, value: Value): WireValue {
  return name === '_uuid' ? ['uuid', value as Uuid] : encodeValue(columnOf(table, name), value);
}

function encodeMutation(table: TableSchema, [name, mutator, value]: RowMutation): Mutation {
  const column = columnOf(table, name);
  if (mutator !== 'insert' && mutator !== 'delete') {
    const atom: ColumnSchema = { ...column, kind: 'scalar' };
    return [name, mutator, encodeValue(atom, value)];
  }
  if (value instanceof Map) return [name, mutator, encodeValue(column, value)];
  invariant(column.kind !== 'map' || mutator === 'delete', `${name} needs a map`);
  const members: ColumnSchema = { ...column, kind: 'set', value: undefined };
  return [
    name,
    mutator,
    encodeValue(members, isSet(value) ? value : value === undefined ? [] : [value as Uuid]),
  ];
}

function columnOf(table: TableSchema, name: string): ColumnSchema {
  const column = table.columns.get(name);
  invariant(column !== undefined, `table ${table.name} has no column ${name}`);
  return column;
}

function bigintText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
