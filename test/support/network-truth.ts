import { acceptedKey, appliedKey, parseAccepted, parseApplied, UNSETTLED } from '../../src/model/fence.ts';
import { MARK } from '../../src/model/marks.ts';
import type { UnitName } from '../../src/model/nb.ts';
import type { AcceptedRevision } from '../../src/model/revision.ts';
import { type Json, type RawConnection, type RawRows } from './raw-connection.ts';
import { rawRowTexts, wireMap, wireMembers, wireText } from './wire-text.ts';

/** Rows by unit: for each unit its rows as sorted lines. */
export type UnitRows = ReadonlyMap<string, string>;

/** What a Northbound holds, read without the client under test. */
export interface Truth {
  readonly units: UnitRows;
  readonly accepted: AcceptedRevision | undefined;
  /** NB_Global.external_ids. */
  readonly records: ReadonlyMap<string, string>;
  /** Every row as text, by `TABLE/UUID`. */
  readonly rows: ReadonlyMap<string, string>;
  /** Names of switches and routers that more than one row has. */
  readonly doubles: readonly string[];
  /** What the foreign writer wrote: its number by `TABLE/UUID` of its rows, and its notes on rows that aren't its own. */
  readonly foreign: ReadonlyMap<string, string>;
  /** What changes with every write. */
  readonly versions: string;
}

type Tables = ReadonlyMap<string, RawRows>;

/** Reads every table of a Northbound in one transaction. */
export async function readTruth(raw: RawConnection): Promise<Truth> {
  return truthOf(await raw.select('OVN_Northbound', NB_TABLES));
}

/** What whole tables say. */
export function truthOf(tables: Tables): Truth {
  const [global] = tables.get('NB_Global')?.values() ?? [];
  const records = wireMap(global?.['external_ids']);
  const versions = [...tables].flatMap(([table, rows]) =>
    [...rows].map(([uuid, row]) => `${table}/${uuid} ${wireText(row['_version'])}`),
  );
  return {
    units: unitRows(tables),
    accepted: parseAccepted(records.get(acceptedKey('test'))),
    records,
    rows: rawRowTexts(tables),
    doubles: doubleNames(tables),
    foreign: foreignRows(tables),
    versions: versions.toSorted().join('\n'),
  };
}

/**
 * Why a unit is not exactly one revision's: the one that its record names. Undefined when it is, or while its record says
 * that rows still have to go.
 */
export function unitFault(
  unit: string,
  truth: Pick<Truth, 'units' | 'records'>,
  expected: readonly UnitRows[],
): string | undefined {
  const found = truth.units.get(unit) ?? '';
  const text = truth.records.get(appliedKey('test', unit as UnitName));
  const record = parseApplied(text);
  if (record?.hash === UNSETTLED) return undefined;
  const wanted = record === undefined ? '' : (expected[Number(record.commit[0])]?.get(unit) ?? '');
  if (found === wanted) return undefined;
  const [has, lacks] = [linesWithout(found, wanted), linesWithout(wanted, found)];
  return `${unit}, recorded as ${text ?? 'gone'}, has\n${has}\nand lacks\n${lacks}`;
}

function linesWithout(text: string, other: string): string {
  const known = new Set(other.split('\n'));
  return text
    .split('\n')
    .filter((line) => !known.has(line))
    .slice(0, 5)
    .join('\n');
}

/**
 * Each unit's rows as one text: every column, without blame marks and without what others added. A reference to a row of
 * another unit comes and goes with that unit, so it is written at the row that is referred to, as `held by`.
 */
function unitRows(tables: Tables): UnitRows {
  const ours = ownRows(tables);
  const holders = new Map<string, string[]>();
  const lines = new Map<string, string[]>();
  for (const [uuid, { row, table }] of ours) {
    for (const column of Object.keys(row).filter((name) => !name.startsWith('_'))) {
      for (const member of references(row[column])) {
        holders.set(member, [...(holders.get(member) ?? []), `${table}/${uuid}.${column}`]);
      }
    }
  }
  for (const [uuid, { unit, key, row }] of ours) {
    const held = (holders.get(uuid) ?? []).toSorted().join(' ');
    const list = lines.get(unit) ?? [];
    list.push(`${key} ${uuid} ${rowText(row, unit, ours)}; held by ${held}`);
    lines.set(unit, list);
  }
  return new Map([...lines].map(([unit, list]) => [unit, list.toSorted().join('\n')]));
}

interface OwnRow {
  readonly unit: string;
  readonly key: string;
  readonly table: string;
  readonly row: Readonly<Record<string, Json>>;
}

function ownRows(tables: Tables): ReadonlyMap<string, OwnRow> {
  const ours = new Map<string, OwnRow>();
  for (const [table, rows] of tables) {
    for (const [uuid, row] of rows) {
      const ids = wireMap(row['external_ids']);
      if (ids.get(MARK.owner) !== 'test') continue;
      ours.set(uuid, { unit: String(ids.get(MARK.unit)), key: String(ids.get(MARK.key)), table, row });
    }
  }
  return ours;
}

/** A row without what others added to it. */
function rowText(
  row: Readonly<Record<string, Json>>,
  unit: string,
  ours: ReadonlyMap<string, OwnRow>,
): string {
  const columns = Object.keys(row).filter((column) => !column.startsWith('_') && column !== NEW_COLUMN);
  return columns
    .toSorted()
    .map((column) => {
      const value = row[column];
      if (column === 'external_ids') return `external_ids=${idsText(row)}`;
      if (references(value).length === 0) return `${column}=${wireText(value)}`;
      const members = references(value).filter((uuid) => ours.get(uuid)?.unit === unit);
      return `${column}=${members.toSorted().join(' ')}`;
    })
    .join('; ');
}

function references(value: Json | undefined): readonly string[] {
  return wireMembers(value)
    .filter((member) => Array.isArray(member) && member[0] === 'uuid')
    .map(wireText);
}

function idsText(row: Readonly<Record<string, Json>>): string {
  return [...wireMap(row['external_ids'])]
    .filter(([name]) => name !== MARK.source && name !== MARK.commit && !name.startsWith('foreign'))
    .map(([name, value]) => `${name}:${value}`)
    .toSorted()
    .join(' ');
}

function doubleNames(tables: Tables): readonly string[] {
  const seen = new Set<string>();
  const doubles: string[] = [];
  for (const table of [
    'Logical_Switch',
    'Logical_Router',
    'Logical_Switch_Port',
    'Logical_Router_Port',
    'Port_Group',
  ]) {
    for (const row of tables.get(table)?.values() ?? []) {
      const name = `${table} ${wireText(row['name'])}`;
      if (seen.has(name)) doubles.push(name);
      seen.add(name);
    }
  }
  return doubles;
}

function foreignRows(tables: Tables): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [table, rows] of tables) {
    for (const [uuid, row] of rows) {
      const ids = wireMap(row['external_ids']);
      const number = ids.get('foreign');
      if (number !== undefined) found.set(`${table}/${uuid}`, number);
      const note = ids.get('foreign-note');
      if (note !== undefined) found.set(table === 'NB_Global' ? table : (row['name'] as string), note);
    }
  }
  return found;
}

/** A column that a test's newer schema adds. */
export const NEW_COLUMN = 'novelty';

/** Every table of the Northbound that this project or the foreign writer of the tests writes. */
const NB_TABLES = [
  'NB_Global',
  'Logical_Switch',
  'Logical_Switch_Port',
  'Logical_Router',
  'Logical_Router_Port',
  'Logical_Router_Static_Route',
  'Logical_Router_Policy',
  'Load_Balancer',
  'Load_Balancer_Health_Check',
  'NAT',
  'ACL',
  'Address_Set',
  'Port_Group',
  'DHCP_Options',
  'DNS',
  'QoS',
  'Gateway_Chassis',
];
