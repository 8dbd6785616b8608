import type { RowKey } from '../model/nb.ts';
import { MARK } from '../model/marks.ts';
import type { Condition, Operation, WireRow } from '../ovsdb/index.ts';
import { encodeMap, encodeUuid } from './wire.ts';

/** The one condition that is a hash look-up in ovsdb-server; all others scan the table. */
export function whereUuid(uuid: string): Condition {
  return ['_uuid', '==', encodeUuid(uuid)];
}

/** Fails the transaction unless the row exists and meets `conditions` (RFC 7047 5.2.6). */
export function guardRow(table: string, uuid: string, conditions: readonly Condition[] = []): Operation {
  return {
    op: 'wait',
    timeout: 0,
    table,
    where: [whereUuid(uuid), ...conditions],
    columns: ['_uuid'],
    until: '!=',
    rows: [],
  };
}

/** Fails the transaction unless the map column holds exactly these pairs, whatever else it holds. */
export function guardPairs(
  table: string,
  uuid: string,
  column: string,
  pairs: Readonly<Record<string, string>>,
): Operation {
  return guardRow(table, uuid, [[column, 'includes', encodeMap(pairs)]]);
}

/** Fails the transaction unless the row is still ours: what lost our mark belongs to somebody else by now. */
export function guardMark(table: string, uuid: string, owner: string, key: RowKey): Operation {
  return guardRow(table, uuid, [
    ['external_ids', 'includes', encodeMap({ [MARK.owner]: owner, [MARK.key]: key })],
  ]);
}

/** Fails the transaction unless the columns are what the plan was made from. */
export function guardColumns(table: string, uuid: string, expected: WireRow): Operation {
  return {
    op: 'wait',
    timeout: 0,
    table,
    where: [whereUuid(uuid)],
    columns: Object.keys(expected),
    until: '==',
    rows: [expected],
  };
}
