import type { ColumnSchema, DatabaseSchema, TableSchema } from '../../ovsdb/index.ts';
import { nearest } from '../../spec/nearest.ts';
import { type Count, shown, textFault, valueFault } from './check-value.ts';
import { findColumn, findTable } from './table-selection.ts';

/** What is wrong with an operation before it is sent. */
export interface OperationFault {
  /** Counted from 0, as servers do. */
  readonly operation: number;
  /** Where in the operation, e.g. `row.ports`; empty for the operation as a whole. */
  readonly place: string;
  readonly message: string;
}

/** Finds all that a server would refuse without looking at its rows: RFC 7047 5.1 and 5.2 against the schema. */
export function checkOperations(
  schema: DatabaseSchema,
  operations: readonly unknown[],
): readonly OperationFault[] {
  const names = new Set<string>();
  const faults: OperationFault[] = [];
  for (const operation of operations) {
    const name = isObject(operation) && operation['op'] === 'insert' ? operation['uuid-name'] : undefined;
    if (typeof name === 'string') names.add(name);
  }
  const seen = new Set<unknown>();
  for (const [index, operation] of operations.entries()) {
    const note = (place: string, message: string): void =>
      void faults.push({ operation: index, place, message });
    if (isObject(operation)) new OperationCheck(schema, operation, names, note).run();
    else note('', `${shown(operation)} is not an operation: write {"op": ..., "table": ...}`);
    const name = isObject(operation) ? operation['uuid-name'] : undefined;
    if (name !== undefined && seen.has(name))
      note('uuid-name', `${shown(name)} names another insert already`);
    seen.add(name);
  }
  return faults;
}

type Members = Readonly<Record<string, unknown>>;

/** The members of each operation; `?` marks those that may be left out. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  insert: ['table', 'row', 'uuid-name?', 'uuid?'],
  select: ['table', 'where', 'columns?'],
  update: ['table', 'where', 'row'],
  mutate: ['table', 'where', 'mutations'],
  delete: ['table', 'where'],
  wait: ['table', 'where', 'columns?', 'until', 'rows', 'timeout'],
  commit: ['durable'],
  abort: [],
  comment: ['comment'],
  assert: ['lock'],
};

class OperationCheck {
  readonly #schema: DatabaseSchema;
  readonly #operation: Members;
  readonly #names: ReadonlySet<string>;
  readonly #note: (place: string, message: string) => void;

  constructor(
    schema: DatabaseSchema,
    operation: Members,
    names: ReadonlySet<string>,
    note: (place: string, message: string) => void,
  ) {
    this.#schema = schema;
    this.#operation = operation;
    this.#names = names;
    this.#note = note;
  }

  run(): void {
    const { op, table } = this.#operation as { readonly op?: unknown; readonly table?: unknown };
    const members = typeof op === 'string' && Object.hasOwn(MEMBERS, op) ? MEMBERS[op] : undefined;
    if (typeof op !== 'string' || members === undefined) {
      const near = nearest(String(op), Object.keys(MEMBERS));
      this.#note('op', `${shown(op)} is no operation${near === undefined ? '' : `; did you mean ${near}?`}`);
      return;
    }
    this.#checkMembers(op, members);
    this.#checkPlain();
    if (table === undefined || !members.includes('table')) return;
    if (typeof table !== 'string') return this.#note('table', `${shown(table)} is not the name of a table`);
    const found = findTable(this.#schema, table);
    if (found.ok) this.#checkTable(op, found.value);
    else this.#note('table', found.error);
  }

  #checkMembers(op: string, members: readonly string[]): void {
    const known = new Set(['op', ...members.map((member) => member.replace('?', ''))]);
    for (const member of members) {
      if (member.endsWith('?') || this.#operation[member] !== undefined) continue;
      const why = member === 'timeout' ? '; without one the server may wait for ever' : '';
      this.#note(member, `${op} needs "${member}"${why}`);
    }
    for (const member of Object.keys(this.#operation)) {
      if (known.has(member)) continue;
      const near = nearest(member, known);
      this.#note(member, `${op} has no "${member}"${near === undefined ? '' : `; did you mean ${near}?`}`);
    }
  }

  /** The members that need no table to be judged. */
  #checkPlain(): void {
    const { timeout, until, durable, comment, lock, uuid } = this.#operation as Members & OfOperation;
    const name = this.#operation['uuid-name'];
    this.#test(
      'timeout',
      timeout,
      (v) => Number.isSafeInteger(v) && Number(v) >= 0,
      'whole milliseconds, 0 or more',
    );
    this.#test('until', until, (v) => v === '==' || v === '!=', '"==" or "!="');
    this.#test('durable', durable, (v) => typeof v === 'boolean', 'true or false');
    this.#test('comment', comment, (v) => typeof v === 'string', 'a string');
    const fault = typeof comment === 'string' ? textFault(comment) : undefined;
    if (fault !== undefined) this.#note('comment', fault);
    this.#test('lock', lock, isId, 'a name made of letters, digits and _, no digit first');
    this.#test('uuid-name', name, isId, 'a name made of letters, digits and _, no digit first');
    this.#test(
      'uuid',
      uuid,
      (v) => typeof v === 'string' && /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(v),
      'a uuid',
    );
  }

  #test(place: string, value: unknown, holds: (value: unknown) => boolean, wanted: string): void {
    if (value !== undefined && !holds(value)) this.#note(place, `${shown(value)} is not ${wanted}`);
  }

  #checkTable(op: string, table: TableSchema): void {
    const { where, row, rows, columns, mutations } = this.#operation as Members & OfOperation;
    this.#eachOf('where', where, (condition, place) => this.#checkCondition(table, condition, place));
    this.#eachOf('columns', columns, (name, place) => this.#column(table, name, place));
    this.#eachOf('rows', rows, (each, place) => this.#checkRow(table, each, place, 'wait'));
    this.#eachOf('mutations', mutations, (mutation, place) => this.#checkMutation(table, mutation, place));
    if (row !== undefined) this.#checkRow(table, row, 'row', op);
    if (op === 'insert' && isObject(row)) this.#checkMissing(table, row);
  }

  #eachOf(place: string, list: unknown, check: (item: unknown, place: string) => void): void {
    if (list === undefined) return;
    if (!Array.isArray(list)) return this.#note(place, `${shown(list)} is not an array`);
    for (const [at, item] of list.entries()) check(item, `${place}[${at}]`);
  }

  #checkRow(table: TableSchema, row: unknown, place: string, op: string): void {
    if (!isObject(row)) return this.#note(place, `${shown(row)} is not an object of columns`);
    for (const [name, value] of Object.entries(row)) {
      const column = this.#column(table, name, `${place}.${name}`, op === 'wait');
      if (column === undefined) continue;
      if (op === 'update' && !column.mutable)
        this.#note(`${place}.${name}`, `${table.name}.${name} cannot be changed, only given to a new row`);
      this.#checkValue(column, value, `${place}.${name}`);
    }
  }

  /** An insert that leaves out a column whose default its own schema forbids (RFC 7047 5.2.1). */
  #checkMissing(table: TableSchema, row: Members): void {
    for (const column of table.columns.values()) {
      if (Object.hasOwn(row, column.name) || column.min === 0 || column.kind === 'map') continue;
      const { key, name, defaultValue } = column;
      const atom = Array.isArray(defaultValue) ? (defaultValue[0] as unknown) : defaultValue;
      const fault = key.type === 'uuid' ? undefined : valueFault(column, atom, this.#names);
      if (fault !== undefined) this.#note(`row.${name}`, `must be given: its default ${fault}`);
    }
  }

  #checkCondition(table: TableSchema, condition: unknown, place: string): void {
    if (!Array.isArray(condition) || condition.length !== 3)
      return this.#note(place, `${shown(condition)} is not [COLUMN, FUNCTION, VALUE]`);
    const [name, test, value] = condition as readonly unknown[];
    const column = this.#column(table, name, place, true);
    if (!FUNCTIONS.has(test)) {
      this.#note(place, `${shown(test)} is not one of ${[...FUNCTIONS].join(', ')}`);
    } else if (column !== undefined) {
      const isOrder = String(test).startsWith('<') || String(test).startsWith('>');
      if (isOrder && (!isNumeric(column) || column.max !== 1))
        this.#note(place, `${column.name} is not a number: ${String(test)} cannot order it`);
      const count = test === 'includes' || test === 'excludes' ? 'any' : 'as the column';
      this.#checkValue(column, value, place, count);
    }
  }

  #checkMutation(table: TableSchema, mutation: unknown, place: string): void {
    if (!Array.isArray(mutation) || mutation.length !== 3)
      return this.#note(place, `${shown(mutation)} is not [COLUMN, MUTATOR, VALUE]`);
    const [name, mutator, value] = mutation as readonly unknown[];
    const column = this.#column(table, name, place);
    if (column === undefined) return;
    if (!column.mutable) this.#note(place, `${table.name}.${column.name} cannot be changed`);
    if (mutator === 'insert' || mutator === 'delete') {
      if (column.kind === 'scalar')
        return this.#note(place, `${column.name} holds exactly one value: use update instead of ${mutator}`);
      const keys = { ...column, kind: 'set', value: undefined } as const;
      const isKeys = mutator === 'delete' && !(Array.isArray(value) && value[0] === 'map');
      return this.#checkValue(isKeys ? keys : column, value, place, 'any');
    }
    if (!ARITHMETIC.has(mutator))
      return this.#note(
        place,
        `${shown(mutator)} is not one of insert, delete, ${[...ARITHMETIC].join(', ')}`,
      );
    if (!isNumeric(column) || column.kind === 'map')
      return this.#note(place, `${column.name} is not a number: ${String(mutator)} cannot change it`);
    const isZero = (value === 0 || value === 0n) && (mutator === '/=' || mutator === '%=');
    if (isZero) this.#note(place, `${mutator} 0 has no result`);
    const unbounded = { ...column.key, enum: undefined, minimum: undefined, maximum: undefined };
    this.#checkValue({ ...column, kind: 'scalar', min: 1, max: 1, key: unbounded }, value, place);
  }

  #checkValue(column: ColumnSchema, value: unknown, place: string, count?: Count): void {
    const fault = valueFault(column, value, this.#names, count);
    if (fault === undefined) return;
    this.#note(place, place.endsWith(`.${column.name}`) ? fault : `${column.name}: ${fault}`);
  }

  /** A column by its name; `_uuid` and `_version` where rows are looked at, not written. */
  #column(
    table: TableSchema,
    name: unknown,
    place: string,
    own = place.startsWith('columns'),
  ): ColumnSchema | undefined {
    if (own && (name === '_uuid' || name === '_version')) return { ...OWN_COLUMN, name };
    if (name === '_uuid' || name === '_version') {
      this.#note(place, `${name} is the server's: "uuid" or "uuid-name" beside "row" names a new row`);
      return undefined;
    }
    const found = findColumn(table, String(name));
    if (found.ok) return found.value;
    this.#note(place, found.error);
    return undefined;
  }
}

interface OfOperation {
  readonly where?: unknown;
  readonly row?: unknown;
  readonly rows?: unknown;
  readonly columns?: unknown;
  readonly mutations?: unknown;
  readonly timeout?: unknown;
  readonly until?: unknown;
  readonly durable?: unknown;
  readonly comment?: unknown;
  readonly lock?: unknown;
  readonly uuid?: unknown;
}

const FUNCTIONS: ReadonlySet<unknown> = new Set(['==', '!=', '<', '<=', '>', '>=', 'includes', 'excludes']);
const ARITHMETIC: ReadonlySet<unknown> = new Set(['+=', '-=', '*=', '/=', '%=']);

const OWN_COLUMN: ColumnSchema = {
  name: '_uuid',
  kind: 'scalar',
  key: {
    type: 'uuid',
    enum: undefined,
    refTable: undefined,
    refType: undefined,
    minimum: undefined,
    maximum: undefined,
    minLength: undefined,
    maxLength: undefined,
  },
  value: undefined,
  min: 1,
  max: 1,
  mutable: false,
  ephemeral: false,
  defaultValue: undefined,
};

function isNumeric({ key }: ColumnSchema): boolean {
  return key.type === 'integer' || key.type === 'real';
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(value);
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
