import { compareText } from '../lib/order.ts';
import type { DiagnosticCode } from '../model/diagnostic-codes.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Resource } from '../model/resource.ts';
import { ResourceSet } from '../model/resource-set.ts';
import { checkResources } from './check.ts';
import { parseFile, type ParsedFile } from './parse.ts';

/** A revision's resources and all that is wrong with them. */
export interface Validated {
  readonly set: ResourceSet;
  readonly resources: readonly Resource[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What can seem wrong only because a document could not be read. */
const OF_ABSENCE: ReadonlySet<string> = new Set<DiagnosticCode>([
  'REF302',
  'RTE501',
  'PER604',
  'NAT701',
  'NAT702',
  'LBR754',
  'POL854',
]);

/** Reads and checks all files of a revision. The order of the files does not matter. */
export function validateFiles(files: readonly { readonly path: string; readonly text: string }[]): Validated {
  return validateParsed(files.map(({ path, text }) => parseFile(path, text)));
}

/**
 * Checks parsed files against each other. Diagnostics come in canonical order: by file, line, column, code. When a file
 * holds errors of its own, resources of it may be missing, and what only seems to be wrong for that reason is left out.
 */
export function validateParsed(files: readonly ParsedFile[]): Validated {
  const ordered = files.toSorted((a, b) => compareText(a.file, b.file));
  const resources = ordered.flatMap((file) => file.resources);
  const set = new ResourceSet(resources);
  const parsing = ordered.flatMap((file) => file.diagnostics);
  const checks = checkResources(resources, set);
  const incomplete = parsing.some((diagnostic) => diagnostic.severity === 'error');
  const trusted = incomplete ? checks.filter((diagnostic) => !OF_ABSENCE.has(diagnostic.code)) : checks;
  return { set, resources, diagnostics: [...parsing, ...trusted].toSorted(compareDiagnostics) };
}

function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return (
    compareText(a.place.file, b.place.file) ||
    a.place.line - b.place.line ||
    a.place.column - b.place.column ||
    compareText(a.code, b.code) ||
    compareText(a.message, b.message)
  );
}
