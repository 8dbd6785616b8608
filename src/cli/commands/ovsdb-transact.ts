import { type Result, fail, ok } from '../../lib/result.ts';
import { type Database, type Operation, stringifyJson, type TransactOutcome } from '../../ovsdb/index.ts';
import type { Command, CommandInput } from '../command.ts';
import { FORMAT_OPTION } from '../command.ts';
import { type Fault, printFault } from '../fault.ts';
import { checkOperations, type OperationFault } from '../ovsdb/check-operations.ts';
import { inkFor } from '../ovsdb/ink.ts';
import { operationName, outcomeJson, resultLines } from '../ovsdb/outcome-text.ts';
import { isOperations, readOperations, type WrittenOperations } from '../ovsdb/read-operations.ts';
import { findTarget, openTarget, type Target, TARGET_OPTIONS } from '../ovsdb/target.ts';
import type { CliParts } from '../parts.ts';

const NOT_SENT = 2;

/** `ovn-gitops ovsdb transact ENDPOINT [DATABASE] [OPERATIONS]` */
export const OVSDB_TRANSACT: Command = {
  name: 'ovsdb transact',
  summary: 'Check operations against the schema, then run them as one transaction.',
  positionals: ['ENDPOINT', '[DATABASE]', '[OPERATIONS]'],
  options: {
    ...TARGET_OPTIONS,
    file: {
      placeholder: 'FILE',
      short: 'f',
      description: 'read the operations from a file; without it and OPERATIONS, from standard input',
    },
    'dry-run': { description: 'run everything, then have the server undo it' },
    format: FORMAT_OPTION,
  },
  exitCodes: [
    '0  committed; with --dry-run: every operation would pass',
    '1  the server refused it: nothing was changed',
    '2  it was not sent: usage, operations that do not fit the schema, no server',
    '3  unknown: it was sent and no answer came; look before you run it again',
  ],
  usageCode: NOT_SENT,
  async run(input, parts) {
    const format = input.required('format');
    const prepared = await prepare(input, parts);
    if (!prepared.ok) {
      if ('faults' in prepared.error) printFaults(parts, prepared.error, format);
      else printFault(parts, prepared.error, format);
      return NOT_SENT;
    }
    const { database, operations } = prepared.value;
    const isDry = input.isSet('dry-run');
    try {
      const sent: readonly Operation[] = isDry ? [...operations, { op: 'abort' }] : operations;
      const outcome = judged(
        await database.transact(sent, { signal: parts.signal }),
        operations.length,
        isDry,
      );
      await printOutcome(parts, prepared.value, outcome, isDry, format);
      return EXIT_CODES[outcome.kind];
    } finally {
      await database.close();
    }
  },
};

const EXIT_CODES: Readonly<Record<TransactOutcome['kind'], number>> = {
  committed: 0,
  refused: 1,
  unsent: NOT_SENT,
  unknown: 3,
};

interface Prepared {
  readonly database: Database;
  readonly operations: readonly Operation[];
}

interface Misfits {
  readonly operations: readonly unknown[];
  readonly faults: readonly OperationFault[];
}

async function prepare(input: CommandInput, parts: CliParts): Promise<Result<Prepared, Fault | Misfits>> {
  const [endpoint = '', ...words] = input.positionals;
  const names = words.filter((word) => !isOperations(word));
  // A wrong name is said before standard input is waited for.
  const named = names.length === 0 ? undefined : await findTransactTarget(input, parts, endpoint, names);
  if (named?.ok === false) return named;
  const written = await readWritten(input, parts, words.filter(isOperations));
  if (!written.ok) return fail({ message: written.error });
  const { operations, database: own } = written.value;
  const target = named ?? (await findTransactTarget(input, parts, endpoint, own === undefined ? [] : [own]));
  if (!target.ok) return target;
  const { schema, address } = target.value;
  if (own !== undefined && own !== address.database)
    return fail({ message: `the operations are for ${own}, the command line says ${address.database}` });
  const faults = checkOperations(schema, operations);
  if (faults.length > 0) return fail({ operations, faults });
  const database = await openTarget(parts, target.value, {});
  return database.ok
    ? ok({ database: database.value, operations: operations as readonly Operation[] })
    : database;
}

async function findTransactTarget(
  input: CommandInput,
  parts: CliParts,
  endpoint: string,
  names: readonly string[],
): Promise<Result<Target, Fault>> {
  const target = await findTarget(input, parts, endpoint, names);
  const [word] = target.ok ? target.value.rest : [];
  if (word === undefined) return target;
  return fail({ message: `"${word}" is neither a database of ${endpoint} nor operations` });
}

async function readWritten(
  input: CommandInput,
  parts: CliParts,
  given: readonly string[],
): Promise<Result<WrittenOperations, string>> {
  const file = input.text('file');
  const [argument, second] = given;
  if (second !== undefined) return fail('give the operations as one array, in one argument');
  if (argument !== undefined)
    return file === undefined
      ? readOperations(argument, 'OPERATIONS')
      : fail('choose one of OPERATIONS and --file');
  const text = await parts.readText(file ?? '-');
  if (!text.ok) return text;
  return readOperations(text.value, file === undefined || file === '-' ? 'standard input' : file);
}

/** In a dry run, reaching the abort at the end is success. */
function judged(outcome: TransactOutcome, count: number, isDry: boolean): TransactOutcome {
  if (!isDry || outcome.kind !== 'refused' || outcome.operation !== count) return outcome;
  return { kind: 'committed', results: outcome.results.slice(0, count).filter((result) => result !== null) };
}

async function printOutcome(
  parts: CliParts,
  { database, operations }: Prepared,
  outcome: TransactOutcome,
  isDry: boolean,
  format: string,
): Promise<void> {
  if (format === 'json') {
    const json = outcomeJson(outcome) as Readonly<Record<string, unknown>>;
    const named = isDry && outcome.kind === 'committed' ? { ...json, outcome: 'would-pass' } : json;
    parts.out(`${stringifyJson(named)}\n`);
    return;
  }
  const ink = inkFor(parts.hasColor);
  const results = (each: Parameters<typeof resultLines>[2]): string =>
    resultLines(database.schema, operations, each, ink)
      .map((line) => `${line}\n`)
      .join('');
  switch (outcome.kind) {
    case 'committed':
      await parts.write(
        `${ink.added(isDry ? 'dry run: every operation would pass' : 'committed')}\n${results(outcome.results)}`,
      );
      if (isDry) parts.err('not tried: what is checked at the commit (references, indexes)\n');
      return;
    case 'refused': {
      const at = outcome.operation === undefined ? undefined : operations[outcome.operation];
      const where =
        at === undefined ? 'at the commit' : `operation ${outcome.operation}, ${operationName(at)}`;
      const why = [outcome.error, outcome.details].filter((part) => part !== '').join(': ');
      if (outcome.results.length > 0) await parts.write(results(outcome.results));
      parts.err(`refused (${where}): ${why}\n  nothing was changed\n`);
      return;
    }
    case 'unsent':
      parts.err(`not sent: ${outcome.reason}\n  hint: run it again\n`);
      return;
    case 'unknown':
      parts.err(
        `unknown: ${outcome.reason}\n  hint: it may or may not be committed; look at the rows before you run it again\n`,
      );
  }
}

function printFaults(parts: CliParts, { operations, faults }: Misfits, format: string): void {
  if (format === 'json') {
    const message = 'the operations do not fit the schema';
    parts.out(`${JSON.stringify({ error: { message, faults } }, undefined, 2)}\n`);
    return;
  }
  for (const { operation, place, message } of faults) {
    const each = operations[operation] as { readonly op?: unknown; readonly table?: unknown } | null;
    const name = [each?.op, each?.table].filter((part) => typeof part === 'string').join(' ');
    const where = [`operation ${operation}`, name, place].filter((part) => part !== '').join(', ');
    parts.err(`${where}: ${message}\n`);
  }
  parts.err(`nothing was sent: ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}\n`);
}
