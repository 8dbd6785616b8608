import { compareText } from '../../lib/order.ts';
import { type Result, fail, ok } from '../../lib/result.ts';
import { type ColumnSchema, stringifyJson } from '../../ovsdb/index.ts';
import type { Command, CommandInput } from '../command.ts';
import { FORMAT_OPTION } from '../command.ts';
import { type Fault, printFault } from '../fault.ts';
import { changedColumns, changeLines } from '../ovsdb/change-text.ts';
import { type ComparedColumns, type Difference, diffSides, type SidesDiff } from '../ovsdb/diff-sides.ts';
import { inkFor } from '../ovsdb/ink.ts';
import { jsonRow } from '../ovsdb/json-value.ts';
import { Page } from '../ovsdb/page.ts';
import { readDump, type Side } from '../ovsdb/read-dump.ts';
import type { Identity, IdentityKey } from '../ovsdb/row-tokens.ts';
import { selectTables } from '../ovsdb/table-selection.ts';
import { findTarget, isEndpoint, openTarget, TARGET_OPTIONS } from '../ovsdb/target.ts';
import type { CliParts } from '../parts.ts';

/** `ovn-gitops ovsdb diff FILE|ENDPOINT FILE|ENDPOINT [DATABASE] [TABLE[.COLUMN]...]` */
export const OVSDB_DIFF: Command = {
  name: 'ovsdb diff',
  summary: 'Compare two databases, or dumps of them, row by row.',
  positionals: ['FILE|ENDPOINT', 'FILE|ENDPOINT', '[DATABASE]', '[TABLE[.COLUMN]...]'],
  options: {
    by: {
      placeholder: 'KEYS',
      description:
        'which rows belong together: uuid, or, in the order to try them with commas, index, a column, a key of external_ids, or COLUMN:KEY',
      fallback: 'uuid',
    },
    ignore: {
      placeholder: 'TABLE[.COLUMN]',
      isRepeatable: true,
      description: 'leave out a table or a column',
    },
    ...TARGET_OPTIONS,
    format: FORMAT_OPTION,
  },
  exitCodes: ['0  equal', '1  different', '2  an error; nothing is known'],
  usageCode: 2,
  async run(input, parts) {
    const format = input.required('format');
    const compared = await compare(input, parts);
    if (!compared.ok) {
      printFault(parts, compared.error, format);
      return 2;
    }
    const { sides, diff } = compared.value;
    const page = new Page(parts.write);
    await (format === 'json' ? printJson(sides, diff, page) : printText(sides, diff, page, parts));
    await page.flush();
    return diff.differences.length === 0 ? 0 : 1;
  },
};

type Sides = readonly [Side, Side];

async function compare(
  input: CommandInput,
  parts: CliParts,
): Promise<Result<{ readonly sides: Sides; readonly diff: SidesDiff }, Fault>> {
  const [first = '', second = '', ...words] = input.positionals;
  const ours = await openSide(input, parts, first, words);
  if (!ours.ok) return ours;
  const theirs = await openSide(input, parts, second, words);
  if (!theirs.ok) return theirs;
  const sides: Sides = [ours.value.side, theirs.value.side];
  const [a, b] = sides;
  if (a.schema.name !== b.schema.name)
    return fail({
      message: `${a.name} is of database ${a.schema.name}, ${b.name} of ${b.schema.name}`,
      hint: 'name the DATABASE after the two',
    });
  const rest = isEndpoint(first) ? ours.value.rest : theirs.value.rest;
  const columns = comparedColumns(sides, rest, input.texts('ignore'));
  if (!columns.ok) return fail({ message: columns.error });
  const identity = readIdentity(input.required('by'), sides);
  if (!identity.ok) return fail({ message: identity.error });
  return ok({ sides, diff: diffSides(sides, identity.value, columns.value.compared, columns.value.all) });
}

interface OpenSide {
  readonly side: Side;
  /** The words that are not the database's name. */
  readonly rest: readonly string[];
}

async function openSide(
  input: CommandInput,
  parts: CliParts,
  name: string,
  words: readonly string[],
): Promise<Result<OpenSide, Fault>> {
  if (isEndpoint(name)) return openEndpoint(input, parts, name, words);
  const text = await parts.readText(name);
  if (!text.ok) return fail({ message: text.error });
  const side = readDump(text.value, name);
  if (!side.ok) return side;
  return ok({ side: side.value, rest: words[0] === side.value.schema.name ? words.slice(1) : words });
}

async function openEndpoint(
  input: CommandInput,
  parts: CliParts,
  name: string,
  words: readonly string[],
): Promise<Result<OpenSide, Fault>> {
  const target = await findTarget(input, parts, name, words);
  if (!target.ok) return target;
  const { schema, rest } = target.value;
  const tables = Object.fromEntries([...schema.tables.keys()].map((table) => [table, 'all' as const]));
  const database = await openTarget(parts, target.value, tables);
  if (!database.ok) return database;
  // Rows never change, so that what they are now stays when the connection ends.
  const rows = new Map(
    [...schema.tables.keys()].map((table) => [table, new Map(database.value.rows(table))]),
  );
  await database.value.close();
  const side: Side = { name, schema, isPartial: false, rows: (table) => rows.get(table) ?? new Map() };
  return ok({ side, rest });
}

/**
 * What both sides can be asked for. A column that only one schema has counts as being at its default on the other side;
 * what a partial dump leaves out is not compared.
 */
function comparedColumns(
  [a, b]: Sides,
  words: readonly string[],
  ignored: readonly string[],
): Result<{ readonly compared: ComparedColumns; readonly all: ComparedColumns }, string> {
  const all = new Map<string, readonly ColumnSchema[]>();
  for (const table of [...new Set([...a.schema.tables.keys(), ...b.schema.tables.keys()])].toSorted(
    compareText,
  )) {
    const [ours, theirs] = [a.schema.tables.get(table)?.columns, b.schema.tables.get(table)?.columns];
    const columns = new Map([...(theirs ?? []), ...(ours ?? [])]);
    const kept = [...columns.values()].filter(
      ({ name }) =>
        (ours?.has(name) === true || !a.isPartial) && (theirs?.has(name) === true || !b.isPartial),
    );
    if (kept.length > 0)
      all.set(
        table,
        kept.toSorted((x, y) => compareText(x.name, y.name)),
      );
  }
  const tables = [...all].map(([name, columns]) => [name, new Map(columns.map((c) => [c.name, c]))] as const);
  const joined = {
    ...a.schema,
    tables: new Map(tables.map(([name, columns]) => [name, { name, columns, isRoot: true, indexes: [] }])),
  };
  const selection = selectTables(joined, words);
  const left = ignored.length === 0 ? ok(new Map() as ComparedColumns) : selectTables(joined, ignored);
  if (!selection.ok) return selection;
  if (!left.ok) return fail(`--ignore: ${left.error}`);
  const without = new Set(
    [...left.value].flatMap(([table, columns]) => columns.map((c) => `${table}.${c.name}`)),
  );
  const compared = [...selection.value]
    .map(
      ([table, columns]) => [table, columns.filter(({ name }) => !without.has(`${table}.${name}`))] as const,
    )
    .filter(([, columns]) => columns.length > 0);
  return ok({ compared: new Map(compared), all });
}

function readIdentity(text: string, [a, b]: Sides): Result<Identity, string> {
  const words = text.split(',').map((word) => word.trim());
  if (words.includes('uuid'))
    return words.length === 1 ? ok('uuid') : fail('--by uuid stands alone: every row has one');
  const columns = new Set(
    [a, b].flatMap(({ schema }) => [...schema.tables.values()].flatMap((t) => [...t.columns.keys()])),
  );
  const keys = words.map((word): IdentityKey | undefined => {
    if (word === '') return undefined;
    if (word === 'index') return { kind: 'index' };
    const [column = '', ...rest] = word.split(':');
    if (!columns.has(column)) return { kind: 'column', column: 'external_ids', key: word };
    return { kind: 'column', column, ...(rest.length === 0 ? {} : { key: rest.join(':') }) };
  });
  const given = keys.filter((key) => key !== undefined);
  return given.length === keys.length ? ok(given) : fail(`--by "${text}" has an empty key`);
}

async function printText([a, b]: Sides, diff: SidesDiff, page: Page, parts: CliParts): Promise<void> {
  const { differences, refText } = diff;
  if (differences.length === 0) return;
  const ink = inkFor(parts.hasColor);
  await page.add(`${ink.removed(`--- ${a.name}`)}\n${ink.added(`+++ ${b.name}`)}\n`);
  for (const difference of differences)
    await page.add(`${changeLines(difference, refText, ink).join('\n')}\n`);
  const count = (test: (difference: Difference) => boolean): number => differences.filter(test).length;
  const [left, right] = [
    count(({ after }) => after === undefined),
    count(({ before }) => before === undefined),
  ];
  const changed = differences.length - left - right;
  parts.err(`${left} only in ${a.name}, ${right} only in ${b.name}, ${changed} changed\n`);
}

async function printJson([a, b]: Sides, { differences }: SidesDiff, page: Page): Promise<void> {
  const head = { equal: differences.length === 0, from: a.name, to: b.name };
  await page.add(`${JSON.stringify(head).slice(0, -1)},"differences":[`);
  for (const [at, difference] of differences.entries())
    await page.add(`${at === 0 ? '' : ','}\n${stringifyJson(differenceJson(difference))}`);
  await page.add(']}\n');
}

function differenceJson({ table, label, columns, rows: [ours, theirs], before, after }: Difference): unknown {
  const isBoth = before !== undefined && after !== undefined;
  const shown = isBoth ? changedColumns(columns, before, after) : columns;
  return {
    kind: isBoth ? 'changed' : ours === undefined ? 'added' : 'removed',
    table,
    label,
    ...(ours === undefined ? {} : { from: { _uuid: ours._uuid, ...jsonRow(shown, ours) } }),
    ...(theirs === undefined ? {} : { to: { _uuid: theirs._uuid, ...jsonRow(shown, theirs) } }),
  };
}
