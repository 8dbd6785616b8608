import type { ColumnSchema } from '../protocol/schema.ts';
import type { Atom, Row, Uuid } from '../protocol/value.ts';
import type { RowChange } from './row-change.ts';
import { UuidGroups } from './uuid-groups.ts';

/**
 * What rows are found by: a column that holds at most one atom (`name`), a key of a map column as ovs-vsctl(8) writes it
 * (`external_ids:owner`), several of these together (an index of the schema), or anything that a function makes of a row.
 */
export type IndexBy = string | readonly string[] | ((row: Row) => Atom | undefined);

/** Finds rows of one table by a value, at the cost of a look into a Map. It follows every change of the replica. */
export interface RowIndex {
  /** A row that has the value, or the values in the order in which they were named. */
  get(...values: readonly Atom[]): Row | undefined;
  /** All of them. */
  all(...values: readonly Atom[]): readonly Row[];
}

type Columns = ReadonlyMap<string, ColumnSchema>;
type KeyOf = (row: Row) => Atom | undefined;

/** The index of a replica: which one, may change when the schema does. */
export class ReplicaIndex implements RowIndex {
  readonly table: string;
  readonly #by: IndexBy;
  #keyOf: KeyOf = () => undefined;
  #rows: ReadonlyMap<Uuid, Row> = new Map();
  #groups = new UuidGroups<Atom>();

  constructor(table: string, by: IndexBy) {
    this.table = table;
    this.#by = by;
  }

  get(...values: readonly Atom[]): Row | undefined {
    const uuid = this.#groups.first(keyOfValues(values));
    return uuid === undefined ? undefined : this.#rows.get(uuid);
  }

  all(...values: readonly Atom[]): readonly Row[] {
    return [...this.#groups.of(keyOfValues(values))].map((uuid) => this.#rows.get(uuid) as Row);
  }

  /** Starts to follow a table; false when its columns are not such that rows can be found: then none are. */
  follow(rows: ReadonlyMap<Uuid, Row>, columns: Columns): boolean {
    const keyOf = keyFunction(this.#by, columns);
    this.#keyOf = keyOf ?? (() => undefined);
    this.#rows = rows;
    const groups = new UuidGroups<Atom>();
    for (const row of rows.values()) this.addTo(groups, row);
    this.become(groups);
    return keyOf !== undefined;
  }

  addTo(groups: UuidGroups<Atom>, row: Row): void {
    const key = this.#keyOf(row);
    if (key !== undefined) groups.add(key, row._uuid);
  }

  become(groups: UuidGroups<Atom>): void {
    this.#groups = groups;
  }

  apply({ uuid, before, after }: RowChange): void {
    const was = before === undefined ? undefined : this.#keyOf(before);
    const is = after === undefined ? undefined : this.#keyOf(after);
    if (was === is) return;
    if (was !== undefined) this.#groups.remove(was, uuid);
    if (is !== undefined) this.#groups.add(is, after?._uuid ?? uuid);
  }
}

function keyFunction(by: IndexBy, columns: Columns): KeyOf | undefined {
  if (typeof by === 'function') return by;
  if (typeof by === 'string') return atomOf(by, columns);
  const parts = by.flatMap((part) => atomOf(part, columns) ?? []);
  if (parts.length < by.length) return undefined;
  return (row) => {
    const atoms = parts.flatMap((part) => part(row) ?? []);
    return atoms.length < parts.length ? undefined : keyOfValues(atoms);
  };
}

/** What gives the atom of a row that `by` names; undefined when there is no such thing. */
function atomOf(by: string, columns: Columns): KeyOf | undefined {
  const [name, key] = split(by);
  const column = columns.get(name);
  if (key === undefined) {
    const isAtom = column?.kind === 'scalar' || column?.kind === 'optional';
    return isAtom ? (row) => row[name] as Atom | undefined : undefined;
  }
  const isMap = column?.kind === 'map' && column.key.type === 'string';
  return isMap ? (row) => (row[name] as ReadonlyMap<Atom, Atom>).get(key) : undefined;
}

/** Names of columns hold no colon (RFC 7047 3.1 `<id>`); keys may. */
function split(by: string): readonly [name: string, key?: string] {
  const colon = by.indexOf(':');
  return colon < 0 ? [by] : [by.slice(0, colon), by.slice(colon + 1)];
}

/** OVSDB strings hold no NUL (RFC 7047 3.1), and each part has one type: the texts tell all values apart. */
function keyOfValues(values: readonly Atom[]): Atom {
  const [only] = values;
  return values.length === 1 && only !== undefined ? only : values.map(String).join('\0');
}
