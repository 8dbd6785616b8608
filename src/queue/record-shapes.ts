import type { DriftRecord, Receipt, RevisionRecord, SourceStatus, UnitStatus } from '../model/status.ts';

/** True for values of the type, whoever wrote them. */
type Shape<T> = (value: unknown) => value is T;

const text: Shape<string> = (value) => typeof value === 'string';
const number: Shape<number> = (value): value is number => typeof value === 'number' && Number.isFinite(value);

function oneOf<const T extends string>(...choices: readonly T[]): Shape<T> {
  return (value): value is T => choices.some((choice) => choice === value);
}

/** JSON has no undefined: a field that is undefined is absent. */
function maybe<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value): value is T | undefined => value === undefined || shape(value);
}

function listOf<T>(shape: Shape<T>): Shape<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(shape);
}

/** An object with these fields; the compiler asks for one shape per field of `T`. */
function record<T extends object>(fields: {
  readonly [Field in keyof Required<T>]: Shape<T[Field]>;
}): Shape<T> {
  const entries = Object.entries<(field: unknown) => boolean>(fields);
  return (value): value is T =>
    typeof value === 'object' &&
    value !== null &&
    entries.every(([name, shape]) => shape((value as Readonly<Record<string, unknown>>)[name]));
}

const condition = oneOf('Ready', 'Reconciling', 'Stalled');

export const unitStatus: Shape<UnitStatus> = record<UnitStatus>({
  // A brand is a promise of ours about a string; what it is used for here is showing it.
  unit: text as Shape<UnitStatus['unit']>,
  condition,
  reason: text,
  message: text,
  sequence: number,
  commit: text,
  at: number,
  convergence: maybe(
    record<NonNullable<UnitStatus['convergence']>>({
      nbCfg: number,
      translatedAt: maybe(number),
      chassis: maybe(record({ caughtUp: number, total: number, behind: listOf(text) })),
    }),
  ),
});

export const sourceStatus: Shape<SourceStatus> = record<SourceStatus>({
  url: text,
  condition,
  reason: text,
  message: text,
  serving: maybe(record({ sequence: number, commit: text })),
  seen: maybe(text),
  fetchedAt: maybe(number),
  diagnostics: text,
});

export const revision: Shape<Omit<RevisionRecord, 'receipts'>> = record<Omit<RevisionRecord, 'receipts'>>({
  sequence: number,
  commit: text,
  subject: text,
  author: text,
  acceptedAt: number,
});

export const receipt: Shape<Receipt> = record<Receipt>({
  unit: text as Shape<Receipt['unit']>,
  sequence: number,
  commit: text,
  cause: oneOf('revision', 'drift'),
  created: number,
  updated: number,
  deleted: number,
  nbCfg: number,
  tookMs: number,
  at: number,
});

export const driftRecord: Shape<DriftRecord> = record<DriftRecord>({
  unit: text as Shape<DriftRecord['unit']>,
  changes: listOf(text),
  outcome: oneOf('corrected', 'reported', 'contested'),
  seenAt: number,
  correctedAt: maybe(number),
});

/** Reads stored JSON values; what is not of the shape is left out. */
export function readRecords<T>(
  stored: readonly (string | null | undefined)[],
  shape: Shape<T>,
): readonly T[] {
  return stored.map(parse).filter(shape);
}

function parse(stored: string | null | undefined): unknown {
  try {
    return JSON.parse(stored ?? 'null');
  } catch {
    return null;
  }
}
