import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Problem } from './problem.ts';
import type { Location } from './schema-location.ts';

/** A number, length or count beyond its bounds. */
export function rangeProblem(error: ErrorObject, { field, span }: Location): Problem {
  const key = (error as { readonly propertyName?: string }).propertyName;
  return { code: 'SCH207', message: messageOf(error, key), hint: hintOf(error), span, field };
}

function messageOf(error: ErrorObject, key: string | undefined): string {
  const limit = String(error.params['limit']);
  switch (error.keyword) {
    case 'minimum':
      return `${String(error.data)} is less than ${limit}`;
    case 'maximum':
      return `${String(error.data)} is more than ${limit}`;
    case 'minLength':
      return 'the text is empty';
    case 'maxLength':
      return `the ${key === undefined ? 'text' : 'name'} has more than ${limit} characters`;
    case 'minItems':
      return `the list has fewer than ${limit} ${limit === '1' ? 'item' : 'items'}`;
    case 'maxItems':
      return `the list has more than ${limit} items`;
    case 'minProperties':
      return 'the mapping is empty';
    case 'maxProperties':
      return limit === '1'
        ? 'the mapping has more than one field'
        : `the mapping has more than ${limit} fields`;
    default:
      return error.message ?? `violates ${error.keyword}`;
  }
}

function hintOf(error: ErrorObject): string {
  const schema = error.parentSchema ?? {};
  const { minimum, maximum } = schema;
  if (minimum !== undefined && maximum !== undefined)
    return `Write ${String(minimum)} to ${String(maximum)}.`;
  if (error.keyword.endsWith('Properties'))
    return `Write exactly one of: ${Object.keys(schema['properties'] as object).join(', ')}.`;
  return typeof schema['description'] === 'string' ? schema['description'] : 'Change it to fit.';
}
