import { type Compiled, compile } from '../src/compile/compile.ts';
import { hasErrors } from '../src/model/diagnostic.ts';
import type { NbRow, RowKey, UnitName } from '../src/model/nb.ts';
import { type DesiredNb, indexDesired } from '../src/plan/desired.ts';
import { driftPolicy } from '../src/plan/drift-policy.ts';
import type { DesiredRevision } from '../src/reconcile/desired-revisions.ts';
import { printDiagnostics } from '../src/spec/print.ts';
import { type Validated, validateFiles } from '../src/spec/validate.ts';
import type { GeneratedFile } from './generate.ts';

/** The name under which everything is written. */
export const OWNER = 'test';

/** The revision that generated files are; throws when they are not valid. */
export function revisionOf(files: readonly GeneratedFile[], commit: string): DesiredRevision {
  const validated = validateFiles(files);
  assertValid(validated);
  return compiledRevision(validated, compile(validated.set), commit);
}

/** Puts a revision together from its parts. Its rows have no fingerprints yet, as after every compilation. */
export function compiledRevision(
  { diagnostics }: Validated,
  compiled: Compiled,
  commit: string,
): DesiredRevision {
  return {
    revision: { commit, author: { name: 'Ada', email: 'ada@example.org', at: 0 }, subject: 'bench' },
    desired: indexDesired(compiled.nb),
    compiled,
    repository: {},
    policy: driftPolicy(undefined),
    warnings: diagnostics,
  };
}

/** Throws with the diagnostics if there is an error among them: the generator is wrong then. */
export function assertValid({ diagnostics }: Validated): void {
  if (hasErrors(diagnostics)) throw new Error(printDiagnostics(diagnostics.slice(0, 10)));
}

/** The same desired state with new objects for all rows, as a process that starts anew has them. */
export function withFreshRows({ state }: DesiredNb): DesiredNb {
  return indexDesired({ rows: new Map([...state.rows].map(([key, row]) => [key, { ...row }])) });
}

/** The same desired state with new objects for the rows of one unit, so that none of them is fingerprinted yet. */
export function withFreshUnit(desired: DesiredNb, unit: UnitName): DesiredNb {
  const rows = desired.rowsOf(unit).map((row) => ({ ...row }));
  const byKey = new Map<RowKey, NbRow>(rows.map((row) => [row.key, row]));
  return {
    state: desired.state,
    units: desired.units,
    changedSince: () => undefined,
    row: (key) => byKey.get(key) ?? desired.row(key),
    rowsOf: (name) => (name === unit ? rows : desired.rowsOf(name)),
  };
}
