import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseSchema } from '../../src/ovsdb/index.ts';
import { CHILD_COLUMNS, COLUMNS, type ColumnRule } from '../../src/plan/columns.ts';
import { desiredFrom } from '../support/apply-harness.ts';
import { exampleFiles } from '../support/examples.ts';

const CASES = path.join(import.meta.dirname, '..', 'cases');
const parsed = parseSchema(JSON.parse(readFileSync('/usr/share/ovn/ovn-nb.ovsschema', 'utf8')));
if (!parsed.ok) throw new Error(parsed.error);
const schema = parsed.value;

const KINDS: Readonly<Record<ColumnRule['kind'], readonly string[]>> = {
  value: ['scalar', 'optional'],
  set: ['set'],
  reference: ['optional'],
  references: ['set'],
  map: ['map'],
};

describe.each(Object.entries(COLUMNS))('what is ours of %s', (table, columns) => {
  test.each(Object.entries(columns))('%s is a column of that kind in the database', (column, rule) => {
    const found = schema.tables.get(table)?.columns.get(column);
    expect(KINDS[rule.kind]).toContain(found?.kind);
    expect(found?.key.type === 'uuid').toBe(rule.kind === 'reference' || rule.kind === 'references');
  });
});

test('child columns are those of strong references to tables that are no roots', () => {
  const strong: Record<string, Record<string, string>> = {};
  for (const table of schema.tables.values()) {
    for (const column of table.columns.values()) {
      const child = column.key.type === 'uuid' ? column.key.refTable : undefined;
      const isStrong =
        child !== undefined && column.key.refType !== 'weak' && schema.tables.get(child)?.isRoot === false;
      if (isStrong && COLUMNS[table.name as keyof typeof COLUMNS] !== undefined) {
        strong[table.name] = { ...strong[table.name], [column.name]: child };
      }
    }
  }
  expect(CHILD_COLUMNS).toEqual(strong);
});

test('whatever the compiler writes is compared and taken back', async () => {
  const folders = readdirSync(CASES).filter((name) => existsSync(path.join(CASES, name, 'nb.yaml')));
  const networks: Record<string, string>[] = [await exampleFiles()];
  for (const folder of folders) {
    const specs = path.join(CASES, folder, 'specs');
    const files = readdirSync(specs).filter((file) => file.endsWith('.yaml'));
    networks.push(
      Object.fromEntries(files.map((file) => [file, readFileSync(path.join(specs, file), 'utf8')])),
    );
  }
  const unknown = new Set<string>();
  for (const files of networks) {
    for (const row of desiredFrom(files).desired.state.rows.values()) {
      for (const [column, value] of Object.entries(row.columns)) {
        const rule = COLUMNS[row.table][column];
        if (column === 'external_ids') continue;
        if (rule === undefined) unknown.add(`${row.table}.${column}`);
        if (rule?.kind !== 'map' || rule.keys === undefined) continue;
        for (const key of Object.keys(value))
          if (!rule.keys.includes(key)) unknown.add(`${row.table}.${column}:${key}`);
      }
    }
  }
  expect([...unknown]).toEqual([]);
  expect(networks.length).toBeGreaterThan(30);
});
