import type { Diagnostic } from '../model/diagnostic.ts';
import { printDiagnostics, printDiagnosticsJson } from '../spec/print.ts';
import type { CliParts } from './parts.ts';

/** Why a command could not do its work: a sentence, or what is wrong with each spec. */
export interface Fault {
  readonly message: string;
  /** What to do, in the imperative. */
  readonly hint?: string;
  readonly diagnostics?: readonly Diagnostic[];
}

/**
 * Prints a fault: beside the data for people, in place of the data when JSON is wanted: an array of diagnostics, or
 * `{"error": {"message", "hint"}}`.
 */
export function printFault(
  parts: Pick<CliParts, 'out' | 'err'>,
  { message, hint, diagnostics = [] }: Fault,
  format: string | undefined,
): void {
  if (format === 'json') {
    const error = { message, ...(hint === undefined ? {} : { hint }) };
    parts.out(
      diagnostics.length > 0
        ? printDiagnosticsJson(diagnostics)
        : `${JSON.stringify({ error }, undefined, 2)}\n`,
    );
  } else if (diagnostics.length > 0) parts.err(printDiagnostics(diagnostics));
  else parts.err(hint === undefined ? `${message}\n` : `${message}\n  hint: ${hint}\n`);
}
