// The pages of codes: what each means, and what the program says with it.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { load, NOTE, ROOT } from './program.mjs';

/** By the letters that a code starts with. */
const GROUPS = {
  YAM: 'YAML',
  SCH: 'Fields and values',
  REF: 'Identity and references',
  ADR: 'Addresses',
  RTE: 'Routes',
  MAT: 'Match expressions',
  PER: 'Peerings',
  EXT: 'External networks',
  NAT: 'Translation of addresses',
  LBR: 'Load balancing',
  SEC: 'Security groups',
  POL: 'Network policies',
};
/** Hints of one code that are worth listing. */
const HINTS_SHOWN = 8;

const DIAGNOSTICS_HEAD = `${NOTE}

# Diagnostics

What \`ovn-gitops validate\` and every other command that reads specs can say about them. A code keeps its meaning for
ever. An error keeps the whole revision from being applied; a warning does not. All diagnostics of a revision come at
once.

Each code is shown with a real example; "Other hints" are what else is said with it.
`;

/** docs/reference/diagnostics.md */
export async function diagnosticsPage() {
  const { DIAGNOSTIC_CODES } = await load('model/diagnostic-codes');
  const said = [...goldenDiagnostics(), ...(await largeDiagnostics())];
  const parts = [DIAGNOSTICS_HEAD];
  let group;
  for (const [code, meaning] of Object.entries(DIAGNOSTIC_CODES)) {
    const prefix = code.slice(0, 3);
    if (GROUPS[prefix] === undefined) throw new Error(`scripts/reference/codes.mjs names no group ${prefix}`);
    if (prefix !== group) parts.push(`## ${GROUPS[prefix]}\n`);
    group = prefix;
    parts.push(
      section(
        code,
        meaning,
        said.filter((text) => text.includes(`[${code}]: `)),
      ),
    );
  }
  return parts.join('\n');
}

function section(code, meaning, examples) {
  const severities = ['error', 'warning'].filter((one) => examples.some((text) => text.includes(`${one}[`)));
  const [shown] = examples;
  if (shown === undefined) throw new Error(`no golden case shows ${code}`);
  const hints = [...new Set(examples.map(hintOf))].filter((hint) => hint !== hintOf(shown));
  const listed = hints.slice(0, HINTS_SHOWN).map((hint) => `- ${markdownText(hint)}`);
  const others = listed.length === 0 ? '' : `\nOther hints:\n\n${listed.join('\n')}\n`;
  return `### ${code}\n\n${markdownText(meaning)} (${severities.join(' or ')})\n\n\`\`\`text\n${shown}\n\`\`\`\n${others}`;
}

function hintOf(text) {
  return /^ {2}hint: (.*)$/m.exec(text)?.[1] ?? '';
}

/** Everything that is said in the golden cases, in canonical order: the shortest texts explain best. */
function goldenDiagnostics() {
  const cases = path.join(ROOT, 'test', 'cases');
  const texts = readdirSync(cases)
    .filter((name) => name.startsWith('bad-'))
    .toSorted()
    .flatMap((name) => readFileSync(path.join(cases, name, 'errors.txt'), 'utf8').split('\n\n'));
  const said = texts.filter((text) => /^\S+: (error|warning)\[/.test(text));
  return said.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

/** What is only said of files that are too large to be golden cases. */
async function largeDiagnostics() {
  const [{ parseFile }, { printDiagnostics }] = await Promise.all([load('spec/parse'), load('spec/print')]);
  const deep = parseFile('deep.yaml', `${'['.repeat(40)}\n`).diagnostics;
  const many = parseFile('many.yaml', 'unknown: 1\n---\n'.repeat(201)).diagnostics;
  return [...deep, ...many]
    .filter(({ code }) => code === 'YAM110' || code === 'SCH209')
    .map((one) => printDiagnostics([one]).split('\n\n')[0]);
}

const HAZARDS_HEAD = `${NOTE}

# Hazards

What a plan warns of: changes that are as the revision wants them, and that people who use the network notice. A hazard
stops nothing; it is there for the person who approves the change.

| Code | The change |
| ---- | ---------- |
`;

/** docs/reference/hazards.md */
export async function hazardsPage() {
  const { HAZARDS } = await load('plan/hazards');
  const rows = Object.entries(HAZARDS).map(([code, meaning]) => `| ${code} | ${meaning} |`);
  return `${HAZARDS_HEAD}${rows.join('\n')}\n`;
}

/** Text of the program in Markdown: nothing in it is markup. */
function markdownText(text) {
  return text.replaceAll(/[\\`*_<>[\]]/g, String.raw`\$&`);
}
