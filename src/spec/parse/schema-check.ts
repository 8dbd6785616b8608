import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { invariant } from '../../lib/invariant.ts';
import { SCHEMAS } from '../generated/schemas.ts';
import { FORMATS } from './formats.ts';

const ajv = new Ajv2020({
  allErrors: true,
  // Errors carry the schema that was violated: it knows the neighbours of an unknown field.
  verbose: true,
  strict: true,
  strictTypes: true,
  strictTuples: true,
  allowUnionTypes: true,
  discriminator: true,
  logger: false,
  // The schemas are part of the program: a test looks at them, once, and not every start.
  meta: false,
  validateSchema: false,
  code: { optimize: false },
  formats: Object.fromEntries(
    Object.entries(FORMATS).map(([name, check]) => [name, (text: string) => check(text) === undefined]),
  ),
});
for (const schema of Object.values(SCHEMAS)) ajv.addSchema(schema);

/** All violations of a kind's schema. */
export function schemaErrors(kind: string, document: unknown): readonly ErrorObject[] {
  const validate = validatorOf(kind);
  return validate(document) ? [] : (validate.errors ?? []);
}

/** The schema's validator; compiled on first use. */
function validatorOf(kind: string): ValidateFunction {
  const validate = ajv.getSchema(`${kind.toLowerCase()}.schema.json`);
  invariant(validate !== undefined, `the kind ${kind} has a schema`);
  return validate;
}
