/** Why a call cannot succeed, however often it is repeated. */
export type OvsdbErrorCode =
  | 'bad-remote'
  | 'bad-tls'
  | 'unknown-database'
  | 'unsuitable-schema'
  | 'unsuitable-server'
  | 'bad-condition'
  | 'unreachable'
  | 'refused'
  | 'bad-lock'
  | 'lock-in-use'
  | 'aborted'
  | 'closed';

/**
 * Wrong input, or an end that the caller asked for. Trouble with servers is no error of a database that is followed: it
 * is waited out. Only the single requests (`requestOnce`) fail as `unreachable` or `refused`.
 */
export class OvsdbError extends Error {
  override readonly name = 'OvsdbError';
  readonly code: OvsdbErrorCode;
  /** What to do about it. */
  readonly advice: string;

  constructor(code: OvsdbErrorCode, message: string, advice: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.advice = advice;
  }
}
