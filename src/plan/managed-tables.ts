import { CHILD_COLUMNS, COLUMNS } from './columns.ts';

/** What the replica holds: the columns that planning compares, and the record of revisions in NB_Global. */
export const MANAGED_TABLES: Readonly<Record<string, readonly string[]>> = {
  NB_Global: ['nb_cfg', 'sb_cfg', 'sb_cfg_timestamp', 'hv_cfg', 'external_ids'],
  ...Object.fromEntries(
    Object.entries(COLUMNS).map(([table, columns]) => [
      table,
      [...Object.keys(columns), ...Object.keys(CHILD_COLUMNS[table] ?? {}), 'external_ids'],
    ]),
  ),
};
