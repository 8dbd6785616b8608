import { stringifyJson } from '../../ovsdb/index.ts';
import type { ColumnSchema, Database, Row } from '../../ovsdb/index.ts';
import type { Ink } from './ink.ts';
import { jsonRow } from './json-value.ts';
import type { Page } from './page.ts';
import { RowLabels, rowsIn } from './row-labels.ts';
import { inOrder } from './row-order.ts';
import { rowLines } from './row-text.ts';
import { schemaJson } from './schema-json.ts';
import type { TableSelection } from './table-selection.ts';
import type { RefText } from './value-text.ts';
import { fulfils, type Where } from './where.ts';

/** What to print of a database. */
export interface DumpSpec {
  readonly database: Database;
  /** The tables that the replica holds. */
  readonly held: ReadonlySet<string>;
  readonly selection: TableSelection;
  readonly where: Where;
  /** The conditions as they were given. */
  readonly whereTexts: readonly string[];
  /** Whether the selection is the whole schema. */
  readonly isWhole: boolean;
  readonly ink: Ink;
  /** Show references and rows by uuid. */
  readonly uuids: boolean;
  /** Show columns that are at their default. */
  readonly defaults: boolean;
}

/** Writes the rows for people: a heading for each row, below it the columns that are not at their default. */
export async function dumpText(spec: DumpSpec, page: Page): Promise<void> {
  const { database, ink, selection, uuids, defaults } = spec;
  const labels = labelsOf(spec);
  const refText: RefText = uuids ? (_table, uuid) => uuid : labels.refText;
  let isFirst = true;
  for (const [table, columns, row] of rowsOf(spec, labels)) {
    const label = uuids ? row._uuid : labels.of(table, row);
    const isPicked = columns.length < (database.schema.tables.get(table)?.columns.size ?? 0);
    const lines = rowLines(columns, row, refText, ink, { defaults: defaults || isPicked });
    await page.add(`${isFirst ? '' : '\n'}${ink.strong(`${table} ${label}`)}\n`);
    if (lines.length > 0) await page.add(`${lines.join('\n')}\n`);
    isFirst = false;
  }
  if (isFirst) await page.add(ink.faint(`${selection.size} tables without rows`) + '\n');
}

/** Writes one JSON document with the schema of what it holds, a row to a line: `ovsdb diff` and `generate` read it. */
export async function dumpJson(spec: DumpSpec, page: Page): Promise<void> {
  const { schema } = spec.database;
  const head = [
    `"database":${JSON.stringify(schema.name)}`,
    `"version":${JSON.stringify(schema.version)}`,
    ...(spec.isWhole ? [] : ['"partial":true']),
    ...(spec.whereTexts.length === 0 ? [] : [`"where":${JSON.stringify(spec.whereTexts)}`]),
    `"schema":${stringifyJson(schemaJson(schema, spec.selection))}`,
  ];
  await page.add(`{${head.join(',\n')},\n"tables":{`);
  let before: string | undefined;
  for (const [table, columns, row] of rowsOf(spec, labelsOf(spec))) {
    const opening =
      table === before ? ',' : `${before === undefined ? '' : '},'}\n${JSON.stringify(table)}:{`;
    await page.add(`${opening}\n"${row._uuid}":${stringifyJson(jsonRow(columns, row))}`);
    before = table;
  }
  await page.add(before === undefined ? '}}\n' : '}}}\n');
}

/** Writes one JSON object a row and a line. */
export async function dumpLines(spec: DumpSpec, page: Page): Promise<void> {
  for (const [table, columns, row] of rowsOf(spec, labelsOf(spec))) {
    await page.add(`${stringifyJson({ table, _uuid: row._uuid, ...jsonRow(columns, row) })}\n`);
  }
}

/** The rows that are wanted, in canonical order. */
function* rowsOf(
  { database, selection, where }: DumpSpec,
  { refText }: RowLabels,
): Generator<readonly [table: string, columns: readonly ColumnSchema[], row: Row], void> {
  for (const [name, columns] of selection) {
    const table = database.schema.tables.get(name);
    if (table === undefined) continue;
    const rows = [...database.rows(name).values()].filter((row) => fulfils(where, name, row, refText));
    for (const row of inOrder(table, columns, rows, refText)) yield [name, columns, row];
  }
}

function labelsOf({ database, held }: DumpSpec): RowLabels {
  return new RowLabels(database.schema, rowsIn(database, held));
}
