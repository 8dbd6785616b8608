import { type ColumnSchema, equalValues, isSet, type Row, type Value } from '../../ovsdb/index.ts';
import type { Ink } from './ink.ts';
import { columnLines, nameWidth, rowLines } from './row-text.ts';
import { atomText, memberTexts, pairText, type RefText } from './value-text.ts';

/** A row that appeared (`before` undefined), changed, or went away (`after` undefined), as it is shown. */
export interface ShownChange {
  readonly table: string;
  readonly label: string;
  /** The columns that are looked at. */
  readonly columns: readonly ColumnSchema[];
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

/** The columns whose values differ. */
export function changedColumns(
  columns: readonly ColumnSchema[],
  before: Row,
  after: Row,
): readonly ColumnSchema[] {
  return columns.filter(({ name }) => !equalValues(before[name], after[name]));
}

/**
 * A heading with `+`, `~` or `-`, and below it the content of a row that came or went, or what changed in one that
 * stayed: `before -> after`, the members that a set gained and lost, the keys of a map.
 */
export function changeLines(change: ShownChange, refText: RefText, ink: Ink): readonly string[] {
  const { table, label, columns, before, after } = change;
  const title = `${table} ${label}`;
  const row = before ?? after;
  if (before !== undefined && after !== undefined) {
    const changed = changedColumns(columns, before, after);
    const width = nameWidth(changed);
    return [
      ink.changed(`~ ${title}`),
      ...changed.flatMap((column) =>
        columnLines(column, valueChange(column, before, after, refText, ink), width, ink),
      ),
    ];
  }
  const heading = before === undefined ? ink.added(`+ ${title}`) : ink.removed(`- ${title}`);
  return row === undefined
    ? [heading]
    : [heading, ...rowLines(columns, row, refText, ink, { defaults: false })];
}

function valueChange(
  column: ColumnSchema,
  { [column.name]: before }: Row,
  { [column.name]: after }: Row,
  refText: RefText,
  ink: Ink,
): readonly string[] {
  if (isSet(before) && isSet(after)) return setChange(column, before, after, refText, ink);
  if (before instanceof Map && after instanceof Map) return mapChange(column, before, after, refText, ink);
  const text = (value: Value): string => memberTexts(column, value, refText)[0] ?? '[]';
  return [`${ink.removed(text(before))} -> ${ink.added(text(after))}`];
}

type AtomOf = Extract<Value, readonly unknown[]>[number];

function setChange(
  { key }: ColumnSchema,
  before: readonly AtomOf[],
  after: readonly AtomOf[],
  refText: RefText,
  ink: Ink,
): readonly string[] {
  const [had, has] = [new Set(before), new Set(after)];
  const texts = (atoms: readonly AtomOf[]): readonly string[] =>
    atoms.map((atom) => atomText(key, atom, refText)).toSorted();
  return packed([
    ...texts(before.filter((atom) => !has.has(atom))).map((text) => [`-${text}`, ink.removed] as const),
    ...texts(after.filter((atom) => !had.has(atom))).map((text) => [`+${text}`, ink.added] as const),
  ]);
}

function mapChange(
  column: ColumnSchema,
  before: ReadonlyMap<AtomOf, AtomOf>,
  after: ReadonlyMap<AtomOf, AtomOf>,
  refText: RefText,
  ink: Ink,
): readonly string[] {
  const pieces: Piece[] = [];
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(key), after.get(key)];
    if (old === now) continue;
    if (now === undefined && old !== undefined)
      pieces.push([`-${pairText(column, key, old, refText)}`, ink.removed]);
    else if (now !== undefined && old === undefined)
      pieces.push([`+${pairText(column, key, now, refText)}`, ink.added]);
    else if (now !== undefined && old !== undefined) {
      const text = atomText(column.value ?? column.key, now, refText);
      pieces.push([`~${pairText(column, key, old, refText)} -> ${text}`, ink.changed]);
    }
  }
  return packed(pieces);
}

type Piece = readonly [text: string, paint: Ink['plain']];

/** All on one line, or each on its own where that would be too wide. */
function packed(pieces: readonly Piece[]): readonly string[] {
  const painted = pieces.map(([text, paint]) => paint(text));
  const length = pieces.reduce((sum, [text]) => sum + text.length + 2, 0);
  return length <= WIDTH ? [painted.join('  ')] : painted;
}

const WIDTH = 90;
