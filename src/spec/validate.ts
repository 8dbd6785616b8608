import { compareText } from '../lib/order.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Resource } from '../model/resource.ts';
import { ResourceSet } from '../model/resource-set.ts';
import { checkResources } from './check.ts';
import { parseFile, type ParsedFile } from './parse.ts';
import { Unread } from './unread.ts';

/** A revision's resources and all that is wrong with them. */
export interface Validated {
  readonly set: ResourceSet;
  readonly resources: readonly Resource[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads and checks all files of a revision. The order of the files does not matter. */
export function validateFiles(files: readonly { readonly path: string; readonly text: string }[]): Validated {
  return validateParsed(files.map(({ path, text }) => parseFile(path, text)));
}

/**
 * Checks parsed files against each other. Diagnostics come in canonical order: by file, line, column, code. What is
 * missing is not reported when a document that could not be used seems to declare exactly that.
 */
export function validateParsed(files: readonly ParsedFile[]): Validated {
  const ordered = files.toSorted((a, b) => compareText(a.file, b.file));
  const resources = ordered.flatMap((file) => file.resources);
  const set = new ResourceSet(resources);
  const checks = checkResources(resources, set, new Unread(ordered.flatMap((file) => file.unread)));
  const diagnostics = [...ordered.flatMap((file) => file.diagnostics), ...checks];
  return { set, resources, diagnostics: diagnostics.toSorted(compareDiagnostics) };
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
