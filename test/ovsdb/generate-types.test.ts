import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generateTypes } from '../../src/ovsdb/index.ts';

test('each table becomes a readonly interface', () => {
  const schema = JSON.stringify({
    name: 'Small_DB',
    version: '1.0.0',
    tables: {
      Logical_Port: {
        columns: {
          tag: { type: { key: { type: 'integer', minInteger: 1, maxInteger: 4095 }, min: 0, max: 1 } },
          type: { type: { key: { type: 'string', enum: ['set', ["it's", 'a"b']] } } },
          modes: { type: { key: { type: 'string', enum: ['set', ['b', 'a']] }, min: 1, max: 'unlimited' } },
        },
      },
      Switch: {
        isRoot: true,
        columns: {
          ports: {
            type: {
              key: { type: 'uuid', refTable: 'Logical_Port', refType: 'weak' },
              min: 0,
              max: 'unlimited',
            },
          },
          queues: {
            type: { key: 'integer', value: { type: 'uuid', refTable: 'Logical_Port' }, min: 0, max: 8 },
          },
          up: { type: 'boolean' },
        },
      },
    },
  });
  expect(generateTypes(schema)).toEqual({
    ok: true,
    value: `// Generated from the schema of Small_DB 1.0.0. Do not edit.
import type { Uuid } from 'ovn-gitops/ovsdb';

/** A row of Logical_Port. A row vanishes when nothing refers to it. */
export interface LogicalPort {
  readonly _uuid: Uuid;
  /** at least one */
  readonly modes: readonly ('a' | 'b')[];
  /** 1..4095 */
  readonly tag: number | bigint | undefined;
  readonly type: 'a"b' | 'it\\'s';
}

/** A row of Switch. */
export interface Switch {
  readonly _uuid: Uuid;
  /** weak reference to Logical_Port */
  readonly ports: readonly Uuid[];
  /** strong reference to Logical_Port; 0 to 8 elements */
  readonly queues: ReadonlyMap<number | bigint, Uuid>;
  readonly up: boolean;
}

/** Every table of Small_DB with the type of its rows. */
export interface SmallDBTables {
  readonly Logical_Port: LogicalPort;
  readonly Switch: Switch;
}
`,
  });
});

test('the schema of a real Northbound has types for all tables', () => {
  const text = readFileSync('/usr/share/ovn/ovn-nb.ovsschema', 'utf8');
  const generated = generateTypes(text);
  const tables = Object.keys((JSON.parse(text) as { tables: object }).tables);
  expect(generated.ok && generated.value.match(/^export interface \w+ \{$/gm)).toHaveLength(
    tables.length + 1,
  );
});

test('what is not a schema is refused', () => {
  expect(generateTypes('{')).toEqual({ ok: false, error: expect.stringContaining('not JSON') });
  expect(generateTypes('{}')).toEqual({ ok: false, error: 'tables must be an object' });
});
