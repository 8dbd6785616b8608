/** Why the network's own servers could not be started, and what to do about it. */
export interface EmbeddedError {
  readonly code:
    | 'BINARY_MISSING'
    | 'SCHEMA_MISSING'
    | 'DIRECTORY_UNUSABLE'
    | 'DIRECTORY_IN_USE'
    | 'PATH_TOO_LONG'
    | 'DATABASE_UNUSABLE'
    | 'LEFTOVER_REMAINS'
    | 'START_FAILED'
    | 'ABORTED';
  readonly message: string;
  /** What to do, in the imperative. */
  readonly hint: string;
}

/** Carries an EmbeddedError through a chain of awaits; startEmbedded() turns it into a value again. */
export class EmbeddedFailure extends Error {
  readonly error: EmbeddedError;

  constructor(code: EmbeddedError['code'], message: string, hint: string) {
    super(message);
    this.name = 'EmbeddedFailure';
    this.error = { code, message, hint };
  }
}
