import { compareText } from '../../lib/order.ts';
import type { ColumnSchema, Row, Uuid } from '../../ovsdb/index.ts';
import { changedColumns } from './change-text.ts';
import type { Side } from './read-dump.ts';
import { type Identity, RowTokens, TokenBook } from './row-tokens.ts';
import type { RefText } from './value-text.ts';

/** A row that only one side has, or that differs. */
export interface Difference {
  readonly table: string;
  readonly label: string;
  readonly columns: readonly ColumnSchema[];
  /** The rows as they are. */
  readonly rows: readonly [before: Row | undefined, after: Row | undefined];
  /** The same with tokens in place of references. */
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

export interface SidesDiff {
  readonly differences: readonly Difference[];
  /** What the references in the compared rows are shown as. */
  readonly refText: RefText;
}

/** The columns of each table that are to be compared. */
export type ComparedColumns = ReadonlyMap<string, readonly ColumnSchema[]>;

/**
 * Compares two sides row by row. Rows are counterparts when their identity says so; without any key, when their content
 * is equal. References are equal when what they refer to are counterparts.
 */
export function diffSides(
  sides: readonly [Side, Side],
  identity: Identity,
  compared: ComparedColumns,
  all: ComparedColumns,
): SidesDiff {
  const book = new TokenBook();
  const isOnly = (table: string): boolean => sides.every((side) => side.rows(table).size <= 1);
  const columnsOf = (table: string): readonly ColumnSchema[] => compared.get(table) ?? all.get(table) ?? [];
  const tokens = sides.map((side) => new RowTokens({ side, identity, book, columnsOf, isOnly }));
  const [ours, theirs] = tokens as [RowTokens, RowTokens];
  const differences = [...compared].flatMap(([table, columns]) => {
    const groups = [groupByToken(sides[0], table, ours), groupByToken(sides[1], table, theirs)] as const;
    const pairs = [...new Set([...groups[0].keys(), ...groups[1].keys()])].flatMap((token) =>
      pairUp(columns, groups[0].get(token) ?? [], groups[1].get(token) ?? []),
    );
    return pairs
      .filter(
        ([a, b]) =>
          a === undefined || b === undefined || changedColumns(columns, a.content, b.content).length > 0,
      )
      .map(([a, b]): Difference => {
        const label = book.labelOf((b ?? a)?.token ?? '') ?? '';
        return { table, label, columns, rows: [a?.row, b?.row], before: a?.content, after: b?.content };
      })
      .toSorted((a, b) => compareText(a.label, b.label) || compareText(uuidOf(a), uuidOf(b)));
  });
  const refText: RefText = (_table, token) => {
    const label = book.labelOf(token) ?? token;
    return /[\s,"[\]{}=]/.test(label) ? JSON.stringify(label) : label;
  };
  return { differences, refText };
}

interface Entry {
  readonly token: string;
  readonly row: Row;
  readonly content: Row;
}

function groupByToken(side: Side, table: string, tokens: RowTokens): ReadonlyMap<string, readonly Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const [uuid, row] of [...side.rows(table)].toSorted(([a], [b]) => compareText(a, b))) {
    const token = tokens.of(table, uuid);
    const entry = { token, row, content: tokens.comparable(table, row) };
    const group = groups.get(token);
    if (group === undefined) groups.set(token, [entry]);
    else group.push(entry);
  }
  return groups;
}

type Pair = readonly [Entry | undefined, Entry | undefined];

/** Rows that share a token: equal ones belong together, then one after the other; the rest is only on one side. */
function pairUp(
  columns: readonly ColumnSchema[],
  ours: readonly Entry[],
  theirs: readonly Entry[],
): readonly Pair[] {
  if (ours.length <= 1 && theirs.length <= 1) return [[ours[0], theirs[0]]];
  const rest = [...theirs];
  const pairs: Pair[] = [];
  const unequal: Entry[] = [];
  for (const entry of ours) {
    const at = rest.findIndex((other) => changedColumns(columns, entry.content, other.content).length === 0);
    if (at < 0) unequal.push(entry);
    else pairs.push([entry, rest.splice(at, 1)[0]]);
  }
  const length = Math.max(unequal.length, rest.length);
  for (let at = 0; at < length; at++) pairs.push([unequal[at], rest[at]]);
  return pairs;
}

function uuidOf({ rows: [before, after] }: Difference): Uuid | '' {
  return (after ?? before)?._uuid ?? '';
}
