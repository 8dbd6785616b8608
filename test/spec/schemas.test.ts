import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { dump } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { parseFile } from '../../src/spec/parse.ts';
import { FORMATS } from '../../src/spec/parse/formats.ts';

interface Schema {
  readonly [keyword: string]: unknown;
  readonly format?: string;
  readonly type?: string;
  readonly examples?: readonly unknown[];
}

const FOLDER = new URL('../../specs-schema/', import.meta.url);
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.schema.json'));
const schemas = files.map((file) => ({
  file,
  schema: JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Schema,
}));

/** Every schema inside a schema, with the keyword's path that leads to it. */
function* inside(schema: unknown, path: string): Iterable<readonly [string, Schema]> {
  if (typeof schema !== 'object' || schema === null) return;
  if (!Array.isArray(schema)) yield [path, schema as Schema];
  for (const [key, value] of Object.entries(schema))
    if (key !== 'examples') yield* inside(value, `${path}/${key}`);
}

test('the generated files are what the schemas say', () => {
  const check = spawnSync(process.execPath, ['scripts/gen-specs.mjs', '--check'], { encoding: 'utf8' });
  expect(check).toMatchObject({ status: 0, stderr: '' });
});

const ajv = new Ajv2020({ discriminator: true, logger: false });

describe.each(schemas)('$file', ({ schema }) => {
  test('is a JSON Schema', () => {
    expect([ajv.validateSchema(schema), ajv.errors ?? []]).toEqual([true, []]);
  });

  test('is closed: every mapping says which fields it has', () => {
    for (const [path, part] of inside(schema, '')) {
      if (part.type === 'object' && part['oneOf'] === undefined)
        expect([path, part]).toHaveProperty('1.additionalProperties');
    }
  });

  test('describes every field', () => {
    for (const [path, part] of inside(schema, '')) {
      if (!/\/properties\/[^/]+$/.test(path) || part['$ref'] !== undefined) continue;
      expect([path, part]).toHaveProperty('1.description');
    }
  });

  test('uses formats that are checked, and examples that pass them', () => {
    for (const [path, { format, examples }] of inside(schema, '')) {
      if (format === undefined) continue;
      expect([path, FORMATS[format]]).toEqual([path, expect.any(Function)]);
      const texts = (examples ?? []).filter((example) => typeof example === 'string');
      expect(texts.map((text) => FORMATS[format]?.(text))).toEqual(texts.map(() => undefined));
    }
  });

  test('has examples that it admits', () => {
    const documents = (schema.examples ?? []).map((example) => dump(example, { lineWidth: -1 }));
    const parsed = parseFile('example.yaml', documents.join('---\n'));
    expect(parsed.diagnostics).toEqual([]);
    expect(parsed.resources).toHaveLength(documents.length);
  });
});
