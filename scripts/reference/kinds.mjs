// The pages of kinds: an example, the rows that it becomes, and every field.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fieldTable } from './fields.mjs';
import { load, NOTE, ROOT } from './program.mjs';

const EXAMPLE = path.join(ROOT, 'docs', 'reference', 'example');

/** File name and text of every page; docs/reference/kinds.json gives the order and what no schema says. */
export async function kindPages() {
  const about = JSON.parse(readFileSync(path.join(ROOT, 'docs', 'reference', 'kinds.json'), 'utf8'));
  const rows = await exampleRows();
  const pages = Object.entries(about).map(([kind, words]) => {
    const name = kind.toLowerCase();
    const schema = readJson(`specs-schema/${name}.schema.json`);
    const file = words.example ?? `${name}.yaml`;
    return [`${name}.md`, page(kind, schema, { ...words, file }, rows.get(file) ?? [])];
  });
  return new Map([...pages, ['README.md', index(about)]]);
}

function page(kind, schema, words, rows) {
  const example = readFileSync(path.join(EXAMPLE, words.file), 'utf8');
  return [
    NOTE,
    `# ${kind}`,
    schema.description,
    `\`\`\`yaml\n${example}\`\`\``,
    '## Northbound rows',
    rowWords(words.rows),
    ...(rows.length === 0
      ? []
      : ['What the example becomes, as a plan prints it:', `\`\`\`text\n${rows.join('\n')}\n\`\`\``]),
    '## Fields',
    fieldTable(schema, readJson('specs-schema/common.schema.json').$defs, words.defaults ?? {}),
    ...(words.notes === undefined ? [] : ['## Notes', words.notes.map((note) => `- ${note}`).join('\n')]),
    'See [the other kinds](README.md) and [writing a repository](../../repository.md).\n',
  ].join('\n\n');
}

function rowWords(rows) {
  if (rows.length === 0) return 'None of its own.';
  const lines = rows.map(({ table, what }) => `| \`${table}\` | ${what} |`);
  return ['| Table | Rows |', '| ----- | ---- |', ...lines].join('\n');
}

/** The rows of the example repository as a plan prints them, by the file that they come from. */
async function exampleRows() {
  const [{ parseFile }, { compileFiles }, { printChange }] = await Promise.all([
    load('spec/parse'),
    load('reconcile/desired-revisions'),
    load('plan/print'),
  ]);
  const files = readdirSync(EXAMPLE).map((file) =>
    parseFile(file, readFileSync(path.join(EXAMPLE, file), 'utf8')),
  );
  const compiled = compileFiles({ commit: '', author: { name: '', email: '', at: 0 }, subject: '' }, files);
  if (!compiled.ok) throw new Error('docs/reference/example is not valid: run "ovn-gitops validate" on it');
  const rows = new Map();
  for (const row of compiled.value.desired.state.rows.values()) {
    const [line] = printChange({ kind: 'create', ...row });
    rows.set(row.source.file, [...(rows.get(row.source.file) ?? []), line.trimStart()]);
  }
  return rows;
}

function index(about) {
  const rows = Object.keys(about).map((kind) => {
    const { description, properties } = readJson(`specs-schema/${kind.toLowerCase()}.schema.json`);
    const { const: version } = properties.apiVersion;
    return `| [${kind}](${kind.toLowerCase()}.md) | \`${version}\` | ${description} |`;
  });
  const table = ['| Kind | apiVersion | What it is |', '| ---- | ---------- | ---------- |', ...rows];
  return `${NOTE}

# Kinds

${table.join('\n')}

The examples of all pages together are one valid repository: [docs/reference/example](../example).

## Values

${valueTable(readJson('specs-schema/common.schema.json').$defs)}

Label selector: ${fieldTable.selector}
`;
}

/** The texts and numbers that several kinds share, with the names that the tables of fields use. */
function valueTable(common) {
  const rows = Object.entries(common)
    .filter(([, { type }]) => type !== 'object')
    .map(([, { title, description, examples = [] }]) => {
      const shown = examples.map((one) => `\`${one}\``).join(', ');
      return `| ${title} | ${description} | ${shown} |`;
    });
  return ['| Type | Meaning | Examples |', '| ---- | ------- | -------- |', ...rows].join('\n');
}

function readJson(file) {
  return JSON.parse(readFileSync(path.join(ROOT, file), 'utf8'));
}
