import { sha256Hex } from '../lib/hash.ts';
import type { NbRow, RowKey } from '../model/nb.ts';

/**
 * The UUID that a new row of ours gets: a function of installation and identity, so that a replayed insert is refused
 * as a duplicate instead of making a second row (`uuid` member of insert, ovsdb-server(7) 4.1.9).
 */
export function rowUuid(owner: string, key: RowKey): string {
  const hex = sha256Hex(`${owner}\n${key}`);
  // Version 8 (free form) and the RFC 9562 variant, so that it is a valid UUID that nobody takes for a random one.
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(18, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

const uuids = new WeakMap<NbRow, { readonly owner: string; readonly uuid: string }>();

/** The same for a row at hand: computed once for as long as the row lives, since planning and writing both ask for it. */
export function ownUuid(owner: string, row: NbRow): string {
  const known = uuids.get(row);
  if (known?.owner === owner) return known.uuid;
  const uuid = rowUuid(owner, row.key);
  uuids.set(row, { owner, uuid });
  return uuid;
}
