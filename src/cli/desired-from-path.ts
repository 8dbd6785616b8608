import type { Result } from '../lib/result.ts';
import { fail, ok } from '../lib/result.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { compileFiles, type DesiredRevision } from '../reconcile/desired-revisions.ts';
import { parseFile } from '../spec/parse.ts';
import { printDiagnostics, printDiagnosticsJson } from '../spec/print.ts';
import type { CliParts } from './parts.ts';

/** What is wrong with the files under a path. */
export interface PathFault {
  /** Ready to be printed. */
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads, validates and compiles the files under a path, as they lie there or of a commit; `edit` sees each text first. */
export async function desiredFromPath(
  parts: CliParts,
  path: string,
  revision: string | undefined,
  edit: (file: string, text: string) => string = (_, text) => text,
): Promise<Result<DesiredRevision, PathFault>> {
  const read = await parts.readFiles(path, revision);
  if (!read.ok) return fail({ text: `${read.error.message}\n  hint: ${read.error.hint}\n`, diagnostics: [] });
  const parsed = [];
  for (const file of read.value.files) parsed.push(parseFile(file.path, edit(file.path, await file.text())));
  const compiled = compileFiles(read.value.revision, parsed);
  if (compiled.ok) return ok(compiled.value);
  const diagnostics = compiled.error.kind === 'invalid' ? compiled.error.diagnostics : [];
  return fail({ text: printDiagnostics(diagnostics), diagnostics });
}

/** Prints what is wrong: as text beside the data, or as data when JSON is wanted. */
export function printFault(parts: CliParts, fault: PathFault, format: string): void {
  if (format === 'json' && fault.diagnostics.length > 0) parts.out(printDiagnosticsJson(fault.diagnostics));
  else parts.err(fault.text);
}
