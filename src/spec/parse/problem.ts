import type { DiagnosticCode } from '../../model/diagnostic-codes.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { SourceText, Span } from './source-text.ts';

/** A diagnostic before its offsets are turned into lines and columns. */
export interface Problem {
  readonly code: DiagnosticCode;
  readonly severity?: 'error' | 'warning';
  readonly message: string;
  readonly hint: string;
  readonly span: Span;
  readonly field?: string;
  readonly related?: readonly { readonly span: Span; readonly message: string }[];
}

/** The diagnostic that a problem is in its file. */
export function diagnosticOf(problem: Problem, source: SourceText): Diagnostic {
  return {
    code: problem.code,
    severity: problem.severity ?? 'error',
    message: problem.message,
    place: source.placeAt(problem.span.start),
    field: problem.field ?? '',
    excerpt: source.excerptOf(problem.span),
    hint: problem.hint,
    related: (problem.related ?? []).map(({ span, message }) => ({
      place: source.placeAt(span.start),
      message,
    })),
  };
}
