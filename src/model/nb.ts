import type { Brand } from '../lib/brand.ts';

/** Our identity of an NB row: `Table/spec-path`, e.g. `Logical_Switch/web`. Stable over renames of files and rebuilds of NB. */
export type RowKey = Brand<string, 'RowKey'>;

/** What is committed together: `vpc/NAME`, `peering/NAME` or `global`. */
export type UnitName = Brand<string, 'UnitName'>;

/** The tables that the compiler writes; names as in ovn-nb(5). */
export type NbTable =
  | 'Logical_Switch'
  | 'Logical_Switch_Port'
  | 'Logical_Router'
  | 'Logical_Router_Port'
  | 'Logical_Router_Static_Route'
  | 'Logical_Router_Policy'
  | 'Gateway_Chassis'
  | 'NAT'
  | 'Load_Balancer'
  | 'Load_Balancer_Health_Check'
  | 'DHCP_Options'
  | 'Port_Group'
  | 'Address_Set'
  | 'ACL';

/** A reference to another row by its identity; becomes a UUID only when a transaction is written. */
export interface Ref {
  readonly ref: RowKey;
}

/**
 * A column's desired value. A set is an array in canonical order, a map is a record with sorted keys, a reference
 * is a `Ref`. An absent column has its OVSDB default (empty).
 */
export type NbValue =
  string | number | boolean | Ref | readonly string[] | readonly Ref[] | Readonly<Record<string, string>>;

/** One desired row. */
export interface NbRow {
  readonly key: RowKey;
  readonly table: NbTable;
  readonly unit: UnitName;
  /** Columns in OVSDB spelling, without external_ids of ours: those are added from key, unit and source. */
  readonly columns: Readonly<Record<string, NbValue>>;
  /**
   * The set that holds this row, e.g. a switch's `ports`. Non-root rows vanish without one (RFC 7047 3.2). The parent
   * may belong to another unit.
   */
  readonly parent: { readonly key: RowKey; readonly column: string } | undefined;
  /** Where the row comes from, for blame. */
  readonly source: { readonly file: string; readonly line: number };
}

/** All rows that should exist, by key, in canonical order. */
export interface NbState {
  readonly rows: ReadonlyMap<RowKey, NbRow>;
}

/** The row key of a table and path; the path's parts must be unambiguous in themselves. */
export function rowKey(table: NbTable, ...path: readonly string[]): RowKey {
  return `${table}/${path.join('/')}` as RowKey;
}

/** The unit of a VPC with all that is inside it. */
export function vpcUnit(vpc: string): UnitName {
  return `vpc/${vpc}` as UnitName;
}

/** The unit of a peering: both its ports and its routes. */
export function peeringUnit(peering: string): UnitName {
  return `peering/${peering}` as UnitName;
}

/** The unit of what belongs to no VPC: external and isolated switches. */
export const GLOBAL_UNIT: UnitName = 'global' as UnitName;
