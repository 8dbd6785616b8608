import { type Result, fail, ok } from '../../lib/result.ts';
import { type DatabaseSchema, generateTypes } from '../../ovsdb/index.ts';
import type { Command, CommandInput } from '../command.ts';
import { type Fault, printFault } from '../fault.ts';
import { schemaOfText } from '../ovsdb/schema-of.ts';
import { findTable } from '../ovsdb/table-selection.ts';
import { findTarget, isEndpoint, TARGET_OPTIONS } from '../ovsdb/target.ts';
import type { CliParts } from '../parts.ts';

/** `ovn-gitops ovsdb generate SCHEMA-FILE|ENDPOINT [DATABASE] [TABLE...]` */
export const OVSDB_GENERATE: Command = {
  name: 'ovsdb generate',
  summary: 'Write TypeScript types for the tables of a schema.',
  positionals: ['SCHEMA-FILE|ENDPOINT', '[DATABASE]', '[TABLE...]'],
  options: {
    output: {
      placeholder: 'FILE',
      short: 'o',
      description: 'write to this file instead of standard output',
    },
    module: {
      placeholder: 'MODULE',
      description: 'what the generated file imports from',
      fallback: 'ovn-gitops/ovsdb',
    },
    ...TARGET_OPTIONS,
  },
  exitCodes: ['0  written', '1  an error'],
  async run(input, parts) {
    const generated = await generate(input, parts);
    if (!generated.ok) {
      printFault(parts, generated.error, 'text');
      return 1;
    }
    const output = input.text('output');
    if (output === undefined) {
      await parts.write(generated.value);
      return 0;
    }
    try {
      await parts.writeFile(output, generated.value);
      return 0;
    } catch (error) {
      printFault(parts, { message: `${output} cannot be written: ${(error as Error).message}` }, 'text');
      return 1;
    }
  },
};

async function generate(input: CommandInput, parts: CliParts): Promise<Result<string, Fault>> {
  const [source = '', ...words] = input.positionals;
  const found = await findSchema(input, parts, source, words);
  if (!found.ok) return found;
  const { schema, tables } = found.value;
  const faults = tables.flatMap((name) => {
    const table = findTable(schema, name);
    return table.ok ? [] : [table.error];
  });
  if (faults.length > 0) return fail({ message: faults.join('; ') });
  const module = input.required('module');
  return ok(generateTypes(schema, tables.length === 0 ? { module } : { module, tables }));
}

interface Found {
  readonly schema: DatabaseSchema;
  readonly tables: readonly string[];
}

async function findSchema(
  input: CommandInput,
  parts: CliParts,
  source: string,
  words: readonly string[],
): Promise<Result<Found, Fault>> {
  if (isEndpoint(source)) {
    const target = await findTarget(input, parts, source, words);
    return target.ok ? ok({ schema: target.value.schema, tables: target.value.rest }) : target;
  }
  const text = await parts.readText(source);
  if (!text.ok) return fail({ message: text.error });
  const schema = schemaOfText(text.value, source);
  if (!schema.ok) return schema;
  const [first, ...rest] = words;
  return ok({ schema: schema.value, tables: first === schema.value.name ? rest : words });
}
