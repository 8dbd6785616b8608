import { type Result, ok } from '../../lib/result.ts';
import type { RowChange } from '../../ovsdb/index.ts';
import type { Command, CommandInput } from '../command.ts';
import { durationOption, readDuration } from '../duration-option.ts';
import { type Fault, printFault } from '../fault.ts';
import { Feed } from '../ovsdb/feed.ts';
import { inkFor } from '../ovsdb/ink.ts';
import { Page } from '../ovsdb/page.ts';
import { findTarget, openTarget, TARGET_OPTIONS } from '../ovsdb/target.ts';
import { type ChangeKind, type TransactionSpec, transactionText } from '../ovsdb/transaction-text.ts';
import { readWantedRows } from '../ovsdb/wanted-rows.ts';
import { WHERE_OPTION } from '../ovsdb/where.ts';
import type { CliParts, OvsdbAddress } from '../parts.ts';

/** `ovn-gitops ovsdb monitor ENDPOINT [DATABASE] [TABLE[.COLUMN]...]` */
export const OVSDB_MONITOR: Command = {
  name: 'ovsdb monitor',
  summary: 'Print each transaction on a database as it happens, over reconnects.',
  positionals: ['ENDPOINT', '[DATABASE]', '[TABLE[.COLUMN]...]'],
  options: {
    ...TARGET_OPTIONS,
    where: WHERE_OPTION,
    initial: { description: 'begin with the rows that are there' },
    count: {
      placeholder: 'N',
      description: 'end after so many transactions',
      fault: (text) => (/^[1-9][0-9]{0,8}$/.test(text) ? undefined : 'is not a number from 1 to 999999999'),
    },
    for: durationOption('for', { description: 'end after this time' }),
    uuids: { description: 'show rows and references by uuid instead of by name' },
    format: {
      placeholder: 'FORMAT',
      description: 'how to print: jsonl is a JSON object for each transaction and line',
      fallback: 'text',
      choices: ['text', 'jsonl'],
    },
  },
  exitCodes: ['0  ended by --count, --for, an interrupt, or a reader that went away', '1  an error'],
  async run(input, parts) {
    const connection = new ConnectionNews(parts);
    const opened = await openMonitor(input, parts, connection.log);
    if (!opened.ok) {
      printFault(parts, opened.error, input.required('format') === 'text' ? 'text' : 'json');
      return 1;
    }
    parts.allowReaderToLeave();
    try {
      return await follow(opened.value, input, parts);
    } catch (error) {
      if (parts.signal.aborted) return 0;
      throw error;
    } finally {
      await opened.value.database.close();
    }
  },
};

async function openMonitor(
  input: CommandInput,
  parts: CliParts,
  log: OvsdbAddress['log'],
): Promise<Result<TransactionSpec, Fault>> {
  const [endpoint = '', ...words] = input.positionals;
  const target = await findTarget(input, parts, endpoint, words);
  if (!target.ok) return target;
  const [format, conditions] = [input.required('format'), input.texts('where')];
  const labels = format === 'text' || conditions.length > 0;
  const wanted = readWantedRows(target.value.schema, target.value.rest, conditions, { labels });
  if (!wanted.ok) return wanted;
  const database = await openTarget(parts, target.value, wanted.value.tables, log);
  if (!database.ok) return database;
  const [uuids, ink] = [input.isSet('uuids'), inkFor(parts.hasColor)];
  return ok({ database: database.value, wanted: wanted.value, uuids, ink, format });
}

/** Follows until one of the ends that the user asked for; returns the exit code. */
async function follow(spec: TransactionSpec, input: CommandInput, parts: CliParts): Promise<number> {
  const { database } = spec;
  const feed = new Feed(parts.write);
  if (input.isSet('initial')) feedInitial(spec, feed, parts);
  const wantedCount = Number(input.text('count') ?? Infinity);
  let count = 0;
  let stopWaiting: (() => void) | undefined;
  const code = await new Promise<number>((resolve) => {
    stopWaiting = endAfter(input, parts, () => resolve(0));
    database.onChange((changes) => {
      if (count >= wantedCount) return;
      const kind = database.state === 'live' ? 'update' : 'resync';
      const text = transactionText(spec, changes, kind, parts.clock());
      if (text === undefined) return;
      count += 1;
      if (!feed.add(text)) {
        parts.err('the reader is too slow: more than 64 MiB wait for it\n');
        resolve(1);
      }
      if (count === wantedCount) resolve(0);
    });
  });
  stopWaiting?.();
  if (code === 0) await feed.written();
  return code;
}

/** Calls `end` after the time that was asked for, or when the program is to stop. Returns what forgets about both. */
function endAfter(input: CommandInput, parts: CliParts, end: () => void): () => void {
  if (parts.signal.aborted) end();
  parts.signal.addEventListener('abort', end, { once: true });
  // A timer, because a timeout signal that only AbortSignal.any() knows may be garbage-collected before its time.
  const timer = input.text('for') === undefined ? undefined : setTimeout(end, readDuration(input, 'for'));
  return () => {
    clearTimeout(timer);
    parts.signal.removeEventListener('abort', end);
  };
}

/** The rows as they are now; rows never change, so that what happens meanwhile comes after them. */
function feedInitial(spec: TransactionSpec, feed: Feed, parts: CliParts): void {
  const { database, wanted } = spec;
  const at = parts.clock();
  const tables = [...wanted.selection.keys()].map(
    (table) => [table, [...database.rows(table).values()]] as const,
  );
  feed.addFrom(async () => {
    const page = new Page(parts.write);
    const kind: ChangeKind = 'initial';
    for (const [table, rows] of tables) {
      for (let from = 0; from < rows.length; from += BATCH) {
        const changes = rows
          .slice(from, from + BATCH)
          .map((row): RowChange => ({ table, uuid: row._uuid, before: undefined, after: row }));
        const text = transactionText(spec, changes, kind, at);
        if (text !== undefined) await page.add(text);
      }
    }
    await page.flush();
  });
}

/** Rows of the first content that are shown together. */
const BATCH = 1000;

/** Says when the connection is lost and when it is there again. */
class ConnectionNews {
  readonly #parts: CliParts;
  #wasLive = false;
  #lostAt: number | undefined;

  constructor(parts: CliParts) {
    this.#parts = parts;
  }

  readonly log: NonNullable<OvsdbAddress['log']> = (event, fields) => {
    const { clock, err } = this.#parts;
    if (event === 'live') {
      if (this.#lostAt !== undefined) {
        const seconds = ((clock() - this.#lostAt) / 1000).toFixed(1);
        err(`connected again to ${String(fields['remote'])} after ${seconds} s\n`);
      }
      this.#wasLive = true;
      this.#lostAt = undefined;
    } else if (event === 'disconnected' && this.#wasLive && this.#lostAt === undefined) {
      this.#lostAt = clock();
      err(`connection to ${String(fields['remote'])} lost: ${String(fields['reason'])}; trying again\n`);
    }
  };
}
