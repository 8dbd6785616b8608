import type { WireRow, WireValue } from '../../src/ovsdb/index.ts';
import { CHILD_COLUMNS, COLUMNS } from '../../src/plan/columns.ts';
import type { NbRow, NbState, NbTable, NbValue, Ref, RowKey, UnitName } from '../../src/model/nb.ts';
import { rowKey } from '../../src/model/nb.ts';
import type { Insert, Workload } from './workload.ts';

/** A workload as rows that the reconciler could have compiled from a repository. */
export function nbState({ units }: Workload): NbState {
  const keys = new Map(units.flat().map((insert) => [insert.uuid, keyOf(insert)]));
  const parents = new Map(units.flat().flatMap((insert) => childrenOf(insert)));
  const rows = units.flatMap((unit, nth) =>
    unit.map((insert): NbRow => {
      const key = keyOf(insert);
      return {
        key,
        table: insert.table as NbTable,
        unit: `vpc/u${nth}` as UnitName,
        columns: columnsOf(insert, keys),
        parent: parents.get(insert.uuid),
        source: { file: `u${nth}.yaml`, line: 1 },
      };
    }),
  );
  return { rows: new Map(rows.map((row) => [row.key, row])) };
}

function keyOf({ table, uuid, row }: Insert): RowKey {
  const { name } = row as { readonly name?: string };
  return rowKey(table as NbTable, name ?? uuid);
}

/** The rows that hang on this one. */
function childrenOf(parent: Insert): readonly (readonly [string, NonNullable<NbRow['parent']>])[] {
  const columns = CHILD_COLUMNS[parent.table] ?? {};
  return Object.keys(columns).flatMap((column) =>
    uuidsIn(parent.row[column]).map((uuid) => [uuid, { key: keyOf(parent), column }] as const),
  );
}

function columnsOf({ table, row }: Insert, keys: ReadonlyMap<string, RowKey>): NbRow['columns'] {
  const columns: Record<string, NbValue> = {};
  for (const [column, { kind }] of Object.entries(COLUMNS[table as NbTable])) {
    const wire = row[column];
    if (wire === undefined) continue;
    if (kind === 'references')
      columns[column] = uuidsIn(wire).map((uuid): Ref => ({ ref: keys.get(uuid) as RowKey }));
    else if (kind === 'set') columns[column] = [wire as string];
    else if (kind === 'map') columns[column] = mapOf(wire);
    else columns[column] = wire as string;
  }
  return columns;
}

function uuidsIn(wire: WireRow[string] | undefined): readonly string[] {
  const [, atoms = []] = (wire ?? []) as readonly [string?, (readonly (readonly ['uuid', string])[])?];
  return atoms.map(([, uuid]) => uuid);
}

function mapOf(wire: WireValue): Readonly<Record<string, string>> {
  return Object.fromEntries((wire as readonly [string, readonly (readonly [string, string])[]])[1]);
}
