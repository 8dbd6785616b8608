import type { Atom, BaseType, ColumnSchema, Uuid, Value } from '../../ovsdb/index.ts';
import { isSet } from '../../ovsdb/index.ts';

/** What a reference to a row is shown as; `table` is undefined for a uuid that refers to no table. */
export type RefText = (table: string | undefined, uuid: Uuid) => string;

/** Lines up to this length are not broken up. */
const WIDTH = 100;

/** One atom. Inside a set or a map, text that would be mistaken for more than one atom is quoted. */
export function atomText(base: BaseType, atom: Atom, refText: RefText): string {
  if (base.type === 'uuid') return refText(base.refTable, atom as Uuid);
  return base.type === 'string' ? quoted(String(atom), PLAIN) : String(atom);
}

/** A key and its value of a map. */
export function pairText(column: ColumnSchema, key: Atom, atom: Atom, refText: RefText): string {
  return `${atomText(column.key, key, refText)}=${atomText(column.value ?? column.key, atom, refText)}`;
}

/** The members of a set or the pairs of a map; the one atom of anything else. */
export function memberTexts(column: ColumnSchema, value: Value, refText: RefText): readonly string[] {
  if (value === undefined) return [];
  if (isSet(value)) {
    const texts = value.map((atom) => atomText(column.key, atom, refText));
    // References are in the order of their uuids, which means nothing to whom their names are shown.
    return column.key.type === 'uuid' ? texts.toSorted() : texts;
  }
  if (typeof value === 'object') return [...value].map(([key, atom]) => pairText(column, key, atom, refText));
  return [column.key.type === 'string' ? quoted(String(value), ALONE) : atomText(column.key, value, refText)];
}

/** A value as people read it, in OVSDB's brackets: one line, or one for each member where that would be too wide. */
export function valueLines(
  column: ColumnSchema,
  value: Value,
  refText: RefText,
  indent: number,
): readonly string[] {
  const members = memberTexts(column, value, refText);
  if (column.kind === 'scalar') return members;
  if (column.kind === 'optional') return members.length === 0 ? ['[]'] : members;
  const [open, close] = column.kind === 'map' ? ['{', '}'] : ['[', ']'];
  const line = `${open}${members.join(', ')}${close}`;
  if (members.length < 2 || indent + line.length <= WIDTH) return [line];
  return [open, ...members.map((member) => `  ${member}`), close];
}

/** What needs no quotes among others, and what needs none alone on its line. */
const PLAIN = /^[\w.:/@+*%~$!?;^&|<>()#-]+$/u;
const ALONE = /^[^\s"[\]{}](?:.*\S)?$/u;

function quoted(text: string, plain: RegExp): string {
  return plain.test(text) ? text : JSON.stringify(text);
}
