import type { AtomicType } from '../../src/ovsdb/index.ts';
import { TRUTH_TABLES, type TruthColumn } from '../ovsdb/truth-schema.ts';
import type { TruthRows } from '../ovsdb/truth-server.ts';
import { type ExactJson, printExactly } from './exact-json.ts';

/** What an update says that no server says. */
export class ModelRefusal extends Error {}

type WireRow = Readonly<Record<string, ExactJson>>;

/**
 * What `<table-updates>` of any version make of rows (RFC 7047 4.1.6, ovsdb-server(7) 4.1.14), worked out on the wire's
 * own values and in the plainest way.
 *
 * @throws ModelRefusal when the updates do not fit the rows or the schema.
 */
export function applyUpdates(before: TruthRows, updates: ExactJson): TruthRows {
  const after = new Map(before);
  for (const [table, rows] of members(updates)) {
    const columns = TRUTH_TABLES[table]?.columns;
    if (columns === undefined) throw new ModelRefusal(`no table ${table}`);
    for (const [uuid, update] of members(rows)) {
      const key = `${table}/${uuid}`;
      const row = applyRow(columns, before.get(key), new Map(members(update)));
      if (row === undefined) after.delete(key);
      else after.set(key, row);
    }
  }
  return after;
}

/** A value in its longest form: sets and maps by their members, whatever their order. */
export function wireMembers(column: TruthColumn, wire: ExactJson): ReadonlyMap<string, readonly ExactJson[]> {
  const { key, value } = column;
  if (value !== undefined) {
    const pairs = list(wire, 'map').map((pair) => {
      if (!Array.isArray(pair) || pair.length !== 2) throw new ModelRefusal('no pair');
      const [k, v] = pair as unknown as readonly [ExactJson, ExactJson];
      return [printExactly(atom(key, k)), [atom(key, k), atom(value, v)]] as const;
    });
    return new Map(pairs);
  }
  const isList = Array.isArray(wire) && wire[0] === 'set';
  const atoms = isList ? list(wire, 'set') : [wire];
  if (column.max === 1 && atoms.length > 1) throw new ModelRefusal('more than one');
  return new Map(atoms.map((each) => [printExactly(atom(key, each)), [atom(key, each)]]));
}

/** The members on the wire; a set of one may be bare. */
export function memberWire(column: TruthColumn, found: ReadonlyMap<string, readonly ExactJson[]>): ExactJson {
  if (column.value !== undefined) return ['map', [...found.values()]];
  return ['set', [...found.values()].map(([only]) => only ?? null)];
}

/** What a new row has when nothing is said (RFC 7047 5.2.1). */
export function defaultWire({ key, value, min }: TruthColumn): ExactJson {
  const atoms: Readonly<Record<AtomicType, ExactJson>> = {
    integer: 0n,
    real: 0n,
    boolean: false,
    string: '',
    uuid: ['uuid', '00000000-0000-0000-0000-000000000000'],
  };
  if (value !== undefined) return ['map', min === 0 ? [] : [[atoms[key], atoms[value]]]];
  return ['set', min === 0 ? [] : [atoms[key]]];
}

function applyRow(
  columns: Readonly<Record<string, TruthColumn>>,
  before: WireRow | undefined,
  update: ReadonlyMap<string, ExactJson>,
): WireRow | undefined {
  const isKnown = update.has('modify') || update.has('old') || update.has('delete');
  if (isKnown !== (before !== undefined)) throw new ModelRefusal('the row is in another state');
  const modify = update.get('modify');
  if (modify !== undefined && before !== undefined)
    return { ...before, ...differences(columns, before, modify) };
  const content = update.get('initial') ?? update.get('insert') ?? update.get('new');
  if (content === undefined || content === null) {
    if (!isKnown) throw new ModelRefusal('nothing is said');
    return undefined;
  }
  const row = Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, defaultWire(column)]),
  );
  for (const [name, value] of members(content)) row[name] = checked(columns[name], value);
  return row;
}

function differences(
  columns: Readonly<Record<string, TruthColumn>>,
  before: WireRow,
  modify: ExactJson,
): WireRow {
  const changed = members(modify).map(([name, difference]): [string, ExactJson] => {
    const column = columns[name];
    if (column === undefined) throw new ModelRefusal(`no column ${name}`);
    if (column.max === 1) return [name, checked(column, difference)];
    const found = new Map(wireMembers(column, before[name] ?? null));
    for (const [key, member] of wireMembers(column, difference)) {
      const was = found.get(key);
      if (was !== undefined && printExactly(was) === printExactly(member)) found.delete(key);
      else found.set(key, member);
    }
    return [name, memberWire(column, found)];
  });
  return Object.fromEntries(changed);
}

function checked(column: TruthColumn | undefined, value: ExactJson): ExactJson {
  if (column === undefined) throw new ModelRefusal('no such column');
  const found = wireMembers(column, value);
  if (column.max === 1 && column.value === undefined && found.size < column.min) {
    throw new ModelRefusal('not one');
  }
  return memberWire(column, found);
}

function atom(type: AtomicType, wire: ExactJson): ExactJson {
  const isRight =
    type === 'integer'
      ? typeof wire === 'bigint'
      : type === 'real'
        ? typeof wire === 'number' || typeof wire === 'bigint'
        : type === 'uuid'
          ? Array.isArray(wire) &&
            wire.length === 2 &&
            wire[0] === 'uuid' &&
            typeof wire[1] === 'string' &&
            UUID.test(wire[1])
          : typeof wire === type;
  if (!isRight) throw new ModelRefusal(`no ${type}`);
  // A real that is whole is written like an integer.
  return type === 'real' && Number.isSafeInteger(Number(wire)) ? BigInt(Number(wire)) : wire;
}

function list(wire: ExactJson, kind: 'set' | 'map'): readonly ExactJson[] {
  const [name, found] = Array.isArray(wire) && wire.length === 2 ? (wire as readonly ExactJson[]) : [];
  if (name !== kind || !Array.isArray(found)) throw new ModelRefusal(`no ${kind}`);
  return found as readonly ExactJson[];
}

function members(json: ExactJson): readonly (readonly [string, ExactJson])[] {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new ModelRefusal('no object');
  return Object.entries(json);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
