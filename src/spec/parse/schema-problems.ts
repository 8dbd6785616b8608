import type { ErrorObject } from 'ajv/dist/2020.js';
import { fieldPath } from '../field-path.ts';
import { nearest } from '../nearest.ts';
import { FORMATS } from './formats.ts';
import type { Problem } from './problem.ts';
import { rangeProblem } from './schema-ranges.ts';
import { typeProblem } from './schema-types.ts';
import { locate, type Location } from './schema-location.ts';
import type { Span } from './source-text.ts';
import { entryOf, type YamlNode } from './yaml-node.ts';

/** What a schema error says about a document, at the place of the field. Errors that only repeat others give nothing. */
export function schemaProblem(error: ErrorObject, root: YamlNode): Problem | undefined {
  const where = locate(error, root);
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownField(error, where);
    case 'required':
      return missingField(error, where);
    case 'type':
      return typeProblem(error, where);
    case 'enum':
    case 'const':
    case 'discriminator':
      return choiceProblem(error, where);
    case 'format':
      return formatProblem(error, where);
    case 'items':
    case 'propertyNames':
    case 'false schema':
      return undefined;
    default:
      return rangeProblem(error, where);
  }
}

function unknownField(error: ErrorObject, { segments, node, span }: Location): Problem {
  const name = String(error.params['additionalProperty']);
  const known = Object.keys(propertiesOf(error));
  const near = nearest(name, known);
  const hint =
    name === 'status'
      ? 'Remove it: status is never read from a file.'
      : near === undefined
        ? `Known here: ${known.join(', ')}.`
        : `Did you mean "${near}"?`;
  return {
    code: 'SCH202',
    message: `the field "${name}" is unknown`,
    hint,
    span: entryOf(node, name)?.keySpan ?? span,
    field: fieldPath([...segments, name]),
  };
}

function propertiesOf(error: ErrorObject): Readonly<Record<string, unknown>> {
  return (error.parentSchema?.['properties'] ?? {}) as Readonly<Record<string, unknown>>;
}

function missingField(error: ErrorObject, { segments, node, entry, span }: Location): Problem {
  const name = String(error.params['missingProperty']);
  const schema = propertiesOf(error)[name] as { readonly description?: string } | undefined;
  const inList = node !== undefined && /^[0-9]+$/.test(segments.at(-1) ?? '');
  return {
    code: 'SCH203',
    message: `the field "${name}" is missing`,
    hint: schema?.description === undefined ? `Add ${name}.` : `Add ${name}: ${schema.description}`,
    span: inList ? span : (entry?.keySpan ?? firstKey(node) ?? span),
    field: fieldPath([...segments, name]),
  };
}

function firstKey(node: YamlNode | undefined): Span | undefined {
  return node?.kind === 'mapping' ? node.entries[0]?.keySpan : undefined;
}

function choiceProblem(error: ErrorObject, where: Location): Problem {
  if (error.keyword === 'discriminator') return discriminatorProblem(error, where);
  const choices: readonly string[] =
    error.keyword === 'const'
      ? [String(error.params['allowedValue'])]
      : (error.params['allowedValues'] as string[]);
  return notAChoice(String(error.data), choices, where);
}

function discriminatorProblem(error: ErrorObject, where: Location): Problem {
  const tag = String(error.params['tag']);
  const branches = (error.parentSchema?.['oneOf'] ?? []) as readonly {
    readonly properties: Readonly<Record<string, { readonly const?: string }>>;
  }[];
  const choices = branches.map((branch) => branch.properties[tag]?.const ?? '');
  const entry = entryOf(where.node, tag);
  if (entry === undefined) {
    return {
      code: 'SCH203',
      message: `the field "${tag}" is missing`,
      hint: `Add ${tag}: one of ${choices.join(', ')}.`,
      span: where.entry?.keySpan ?? where.span,
      field: fieldPath([...where.segments, tag]),
    };
  }
  const { value, keySpan } = entry;
  const span = value.start === value.end ? keySpan : { start: value.start, end: value.end };
  return notAChoice(String(error.params['tagValue']), choices, {
    ...where,
    span,
    field: fieldPath([...where.segments, tag]),
  });
}

function notAChoice(
  value: string,
  choices: readonly string[],
  { field, span }: Pick<Location, 'field' | 'span'>,
): Problem {
  const near = nearest(value, choices);
  const list = choices.join(', ');
  return {
    code: 'SCH205',
    message: `"${value}" is not one of the choices`,
    hint: near === undefined ? `Write one of: ${list}.` : `Did you mean "${near}"? The choices are: ${list}.`,
    span,
    field,
  };
}

function formatProblem(error: ErrorObject, { segments, node, span }: Location): Problem {
  const format = String(error.params['format']);
  const key = (error as { readonly propertyName?: string }).propertyName;
  const text = key ?? String(error.data);
  const place = key === undefined ? span : (entryOf(node, key)?.keySpan ?? span);
  return {
    code: 'SCH206',
    message: `"${text}" ${FORMATS[format]?.(text) ?? `is not a ${format}`}`,
    hint: formatHint(text, error),
    span: place,
    field: fieldPath(key === undefined ? segments : [...segments, key]),
  };
}

function formatHint(text: string, error: ErrorObject): string {
  if (/\s(?:\/\/|--)/.test(text)) return 'A comment starts with "#".';
  if (text.trim() !== text) return 'Remove the blanks around it.';
  const network = /the network is (\S+)$/.exec(FORMATS[String(error.params['format'])]?.(text) ?? '')?.[1];
  if (network !== undefined) return `Write ${network}, or a longer prefix for fewer addresses.`;
  const examples = (error.parentSchema?.['examples'] ?? []) as readonly unknown[];
  return examples.length === 0
    ? 'Write it in the form that the message names.'
    : `For example: ${examples.map(String).join(', ')}.`;
}
