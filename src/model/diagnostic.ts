/** A place in a file of the repository; lines and columns start at 1, columns count Unicode code points. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What is wrong with a document, where, and what to do. All diagnostics of a revision are collected, never just the first. */
export interface Diagnostic {
  /** Stable code, e.g. `ADR102`; src/model/diagnostic-codes.ts lists them all with their meaning. */
  readonly code: string;
  /** An error keeps the revision from being applied; a warning does not. */
  readonly severity: 'error' | 'warning';
  /** One sentence that names the offending value. */
  readonly message: string;
  readonly place: Place;
  /** Path of the field inside the document, e.g. `spec.exclude[2]`; empty for the document as a whole. */
  readonly field: string;
  /** The line of text at `place` and how many columns from `place.column` are at fault. */
  readonly excerpt?: { readonly text: string; readonly length: number };
  /** What to do about it, in the imperative. */
  readonly hint: string;
  /** Other places that take part, e.g. the second of two overlapping networks. */
  readonly related: readonly { readonly place: Place; readonly message: string }[];
}

/** True when any of them keeps the revision from being applied. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}
