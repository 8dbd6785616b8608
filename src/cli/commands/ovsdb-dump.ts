import { type Result, ok } from '../../lib/result.ts';
import type { Command, CommandInput } from '../command.ts';
import { type Fault, printFault } from '../fault.ts';
import { dumpJson, dumpLines, type DumpSpec, dumpText } from '../ovsdb/dump-text.ts';
import { inkFor } from '../ovsdb/ink.ts';
import { Page } from '../ovsdb/page.ts';
import { findTarget, openTarget, TARGET_OPTIONS } from '../ovsdb/target.ts';
import { readWantedRows } from '../ovsdb/wanted-rows.ts';
import { WHERE_OPTION } from '../ovsdb/where.ts';
import type { CliParts } from '../parts.ts';

/** `ovn-gitops ovsdb dump ENDPOINT [DATABASE] [TABLE[.COLUMN]...]` */
export const OVSDB_DUMP: Command = {
  name: 'ovsdb dump',
  summary: 'Print the rows of a database, references by name.',
  positionals: ['ENDPOINT', '[DATABASE]', '[TABLE[.COLUMN]...]'],
  options: {
    ...TARGET_OPTIONS,
    where: WHERE_OPTION,
    uuids: { description: 'show rows and references by uuid instead of by name' },
    defaults: { description: 'show columns that are at their default, too' },
    format: {
      placeholder: 'FORMAT',
      description: 'how to print: jsonl is a JSON object for each row and line',
      fallback: 'text',
      choices: ['text', 'json', 'jsonl'],
    },
  },
  exitCodes: ['0  printed', '1  an error'],
  async run(input, parts) {
    const format = input.required('format');
    const opened = await openDump(input, parts);
    if (!opened.ok) {
      printFault(parts, opened.error, format === 'text' ? 'text' : 'json');
      return 1;
    }
    const page = new Page(parts.write);
    try {
      await WRITERS[format]?.(opened.value, page);
      await page.flush();
      return 0;
    } finally {
      await opened.value.database.close();
    }
  },
};

const WRITERS: Readonly<Record<string, (spec: DumpSpec, page: Page) => Promise<void>>> = {
  text: dumpText,
  json: dumpJson,
  jsonl: dumpLines,
};

async function openDump(input: CommandInput, parts: CliParts): Promise<Result<DumpSpec, Fault>> {
  const [endpoint = '', ...words] = input.positionals;
  const target = await findTarget(input, parts, endpoint, words);
  if (!target.ok) return target;
  const { schema, rest } = target.value;
  const conditions = input.texts('where');
  const labels = input.required('format') === 'text' || conditions.length > 0;
  const wanted = readWantedRows(schema, rest, conditions, { labels });
  if (!wanted.ok) return wanted;
  const database = await openTarget(parts, target.value, wanted.value.tables);
  if (!database.ok) return database;
  return ok({
    database: database.value,
    held: new Set(Object.keys(wanted.value.tables)),
    selection: wanted.value.selection,
    where: wanted.value.where,
    whereTexts: conditions,
    isWhole: rest.length === 0 && conditions.length === 0,
    ink: inkFor(parts.hasColor),
    uuids: input.isSet('uuids'),
    defaults: input.isSet('defaults'),
  });
}
