import type { Result } from '../lib/result.ts';
import { fail, ok } from '../lib/result.ts';
import { compileFiles, type DesiredRevision } from '../reconcile/desired-revisions.ts';
import { parseFile } from '../spec/parse.ts';
import type { Fault } from './fault.ts';
import type { CliParts } from './parts.ts';

/** Reads, validates and compiles the files under a path, as they lie there or of a commit; `edit` sees each text first. */
export async function desiredFromPath(
  parts: CliParts,
  path: string,
  revision: string | undefined,
  edit: (file: string, text: string) => string = (_, text) => text,
): Promise<Result<DesiredRevision, Fault>> {
  const read = await parts.readFiles(path, revision);
  if (!read.ok) return fail({ message: read.error.message, hint: read.error.hint });
  if (read.value.files.length === 0) {
    parts.err(`warning: no YAML files under ${path}${revision === undefined ? '' : ` at ${revision}`}\n`);
  }
  const parsed = [];
  for (const file of read.value.files) parsed.push(parseFile(file.path, edit(file.path, await file.text())));
  const compiled = compileFiles(read.value.revision, parsed);
  if (compiled.ok) return ok(compiled.value);
  if (compiled.error.kind === 'source') return fail(compiled.error.problem);
  return fail({ message: `${path} is not valid`, diagnostics: compiled.error.diagnostics });
}
