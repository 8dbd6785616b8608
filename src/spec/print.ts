import type { Diagnostic, Place } from '../model/diagnostic.ts';

/** Lines are cut to this many columns around the caret. */
const MAX_COLUMNS = 120;

/**
 * Diagnostics as people read them, with a summary line; empty for none:
 *
 *     vpc/shop.yaml:7:11: error[ADR402]: the gateway 10.0.1.0 is the network address of 10.0.1.0/24
 *         7 |   gateways: [10.0.1.0]
 *           |              ^^^^^^^^
 *       hint: Choose a host address of the subnet.
 */
export function printDiagnostics(diagnostics: readonly Diagnostic[]): string {
  if (diagnostics.length === 0) return '';
  return `${diagnostics.map(printOne).join('\n')}\n${summary(diagnostics)}\n`;
}

/** Diagnostics as JSON for programs: an array of the objects as they are, in the same order. */
export function printDiagnosticsJson(diagnostics: readonly Diagnostic[]): string {
  return `${JSON.stringify(diagnostics, undefined, 2)}\n`;
}

function printOne({ severity, code, message, place, field, excerpt, hint, related }: Diagnostic): string {
  const at = field === '' ? '' : ` (${field})`;
  const lines = [`${placeText(place)}: ${severity}[${code}]: ${message}${at}`];
  if (excerpt !== undefined) lines.push(...printExcerpt(place, excerpt));
  lines.push(`  hint: ${hint}`);
  for (const other of related) lines.push(`  see ${placeText(other.place)}: ${other.message}`);
  return `${lines.join('\n')}\n`;
}

function placeText({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}

/** The line, and carets below the columns at fault. Tabs become one blank each, so that the caret stays in place. */
function printExcerpt(
  place: Place,
  excerpt: { readonly text: string; readonly length: number },
): readonly string[] {
  const characters = Array.from(excerpt.text.replaceAll(/[\t\p{Cc}]/gu, ' '));
  const start = place.column - 1;
  const from = start > MAX_COLUMNS - 20 ? start - 20 : 0;
  const shown = characters
    .slice(from, from + MAX_COLUMNS)
    .join('')
    .trimEnd();
  const carets = '^'.repeat(Math.max(1, Math.min(excerpt.length, MAX_COLUMNS - (start - from))));
  const margin = String(place.line).padStart(5);
  return [
    `${margin} | ${from > 0 ? '…' : ''}${shown}`,
    `${' '.repeat(5)} | ${' '.repeat(start - from + (from > 0 ? 1 : 0))}${carets}`,
  ];
}

function summary(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length;
  const warnings = diagnostics.length - errors;
  return [count(errors, 'error'), count(warnings, 'warning')].filter((part) => part !== '').join(', ');
}

function count(number: number, noun: string): string {
  return number === 0 ? '' : `${number} ${noun}${number === 1 ? '' : 's'}`;
}
