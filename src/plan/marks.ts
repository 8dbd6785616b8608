import { fingerprint64 } from '../lib/hash.ts';
import { sortedRecord } from '../lib/order.ts';
import { MARK } from '../model/marks.ts';
import type { NbRow } from '../model/nb.ts';

/** The external_ids that identity and drift detection stand on, with those that the compiler asks for: compared and repaired like any other column. */
export function identityMarks(owner: string, row: NbRow): Readonly<Record<string, string>> {
  const own = row.columns['external_ids'] as Readonly<Record<string, string>> | undefined;
  return {
    ...own,
    [MARK.owner]: owner,
    [MARK.key]: row.key,
    [MARK.unit]: row.unit,
    [MARK.hash]: rowHash(row),
  };
}

/**
 * The marks that say where a row came from. They are written only together with another change of the row: a moved
 * file or an inserted line must not rewrite the database.
 */
export function blameMarks(row: NbRow, commit: string): Readonly<Record<string, string>> {
  return { [MARK.source]: `${row.source.file}:${row.source.line}`, [MARK.commit]: commit };
}

const hashes = new WeakMap<NbRow, string>();

/** Fingerprint of what a row should contain. Equal to the mark in NB means: any difference there is drift, not a new wish. */
export function rowHash(row: NbRow): string {
  const known = hashes.get(row);
  if (known !== undefined) return known;
  const hash = fingerprint64(JSON.stringify([row.unit, sortedRecord(row.columns), row.parent ?? null]));
  hashes.set(row, hash);
  return hash;
}

/** Fingerprint of all rows of a unit, in canonical order. */
export function unitHash(rows: readonly NbRow[]): string {
  return fingerprint64(rows.map((row) => `${row.key} ${rowHash(row)}`).join('\n'));
}
