import { openNorthbound, type NorthboundDatabase } from '../../src/nb/northbound.ts';
import { MANAGED_TABLES } from '../../src/plan/managed-tables.ts';
import { applyOnce, type ApplyResult } from '../../src/reconcile/apply-once.ts';
import { compileFiles, type DesiredRevision } from '../../src/reconcile/desired-revisions.ts';
import { parseFile } from '../../src/spec/parse.ts';
import { printDiagnostics } from '../../src/spec/print.ts';

/** Opens the Northbound at an endpoint as the installation `test`. */
export function openTestNorthbound(endpoint: string, southbound?: string): Promise<NorthboundDatabase> {
  return openNorthbound(
    {
      remotes: [endpoint],
      southbound: southbound === undefined ? undefined : [southbound],
      tables: MANAGED_TABLES,
      owner: 'test',
      tls: undefined,
      clock: Date.now,
      log: () => {},
    },
    AbortSignal.timeout(30_000),
  );
}

/** Validates and compiles files; throws with the printed diagnostics when they are wrong. */
export function desiredFrom(
  files: Readonly<Record<string, string>>,
  commit: string = 'a'.repeat(40),
): DesiredRevision {
  const parsed = Object.entries(files).map(([path, text]) => parseFile(path, text));
  const revision = { commit, author: { name: 'Ada', email: 'ada@example.org', at: 0 }, subject: 'test' };
  const result = compileFiles(revision, parsed);
  if (result.ok) return result.value;
  throw new Error(
    result.error.kind === 'invalid' ? printDiagnostics(result.error.diagnostics) : 'unreadable',
  );
}

/** Applies files in one go. */
export function applyFiles(
  northbound: NorthboundDatabase,
  files: Readonly<Record<string, string>>,
  commit?: string,
): Promise<ApplyResult> {
  const revision = desiredFrom(files, commit);
  return applyOnce(
    northbound,
    revision,
    'test',
    { now: Date.now(), passHolds: true },
    AbortSignal.timeout(60_000),
  );
}
