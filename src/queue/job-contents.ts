import type { UnitJob } from '../reconcile/unit-queue.ts';

/** What is stored in Redis for a job: keys only, no state. */
export interface JobContents {
  readonly version: 1;
  readonly unit: string;
  readonly cause: UnitJob['cause'];
  readonly seenAt: number;
}

/** The stored form of a job. */
export function jobContents({ unit, cause, seenAt }: UnitJob): JobContents {
  return { version: 1, unit, cause, seenAt };
}

/**
 * Reads what was found in Redis, which anybody may have written: only what we could have written ourselves passes.
 *
 * @returns undefined for anything else
 */
export function readJobContents(found: unknown): UnitJob | undefined {
  if (typeof found !== 'object' || found === null) return undefined;
  const { version, unit, cause, seenAt } = found as Readonly<Record<string, unknown>>;
  if (version !== 1 || !isUnit(unit) || !isCause(cause)) return undefined;
  if (typeof seenAt !== 'number' || !Number.isSafeInteger(seenAt) || seenAt < 0) return undefined;
  return { unit, cause, seenAt };
}

/** `global`, `vpc/NAME` or `peering/NAME`, with names as in metadata: a DNS subdomain. */
function isUnit(value: unknown): value is UnitJob['unit'] {
  return (
    typeof value === 'string' &&
    value.length <= 300 &&
    /^(?:global|(?:vpc|peering)\/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)$/.test(value)
  );
}

function isCause(value: unknown): value is UnitJob['cause'] {
  return value === 'revision' || value === 'drift' || value === 'resume';
}
