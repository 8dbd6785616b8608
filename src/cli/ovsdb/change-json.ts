import { changedColumns, type ShownChange } from './change-text.ts';
import { jsonRow } from './json-value.ts';

/** A change as JSON for programs: of a row that stayed only the columns that differ. */
export function changeJson({ table, columns, before, after }: ShownChange): unknown {
  if (before !== undefined && after !== undefined) {
    const changed = changedColumns(columns, before, after);
    return {
      kind: 'modify',
      table,
      _uuid: after._uuid,
      before: jsonRow(changed, before),
      after: jsonRow(changed, after),
    };
  }
  if (after !== undefined)
    return { kind: 'insert', table, _uuid: after._uuid, after: jsonRow(columns, after) };
  if (before !== undefined)
    return { kind: 'delete', table, _uuid: before._uuid, before: jsonRow(columns, before) };
  return { table };
}
