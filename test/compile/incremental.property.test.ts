import { expect, test } from 'vitest';
import type { DesiredNb } from '../../src/plan/desired.ts';
import {
  compileFiles,
  type DesiredRevision,
  RevisionCompiler,
} from '../../src/reconcile/desired-revisions.ts';
import { EFFORT, SEED, seededRandom } from '../support/seed.ts';
import { RandomRepository } from './random-repository.ts';

const REPOSITORIES = 3 * EFFORT;
const EDITS = 80;
const REVISION = {
  commit: 'a'.repeat(40),
  author: { name: 'Ada', email: 'ada@example.org', at: 0 },
  subject: '',
};

test(
  `a revision that is compiled from the one before is the one that is compiled alone (seed ${SEED})`,
  () => {
    const random = seededRandom(SEED);
    const met = { valid: 0, invalid: 0, codes: new Set<string>() };
    for (let repository = 0; repository < REPOSITORIES; repository += 1) {
      const edited = new RandomRepository(random);
      const compiler = new RevisionCompiler();
      edited.grow(300, () => compiler.compile(REVISION, edited.parsed()).ok);
      let good = edited.files;
      let before: DesiredRevision | undefined;
      // A revision that is wrong only by its addresses has rows, too, and those that come back after it are others.
      let isNext = false;
      for (let edit = 0; edit < EDITS; edit += 1) {
        const next = compiler.compile(REVISION, edited.parsed());
        const whole = compileFiles(REVISION, edited.parsedAfresh());
        const at = `repository ${repository}, edit ${edit}`;
        expect(next.ok, at).toBe(whole.ok);
        if (!whole.ok || !next.ok) {
          expect(next, at).toEqual(whole);
          if (!whole.ok && whole.error.kind === 'invalid')
            for (const { code } of whole.error.diagnostics) met.codes.add(code);
          met.invalid += 1;
          // Somebody mends it sooner or later.
          if (random() < 0.6) edited.restore(good);
        } else {
          expectSame(next.value, whole.value, at);
          if (before !== undefined) expectKept(before.desired, next.value.desired, isNext, at);
          [before, good] = [next.value, edited.files];
          met.valid += 1;
        }
        isNext = next.ok;
        edited.edit();
      }
    }
    // Enough of everything must have been met, or the comparison says little.
    const tries = REPOSITORIES * EDITS;
    expect(met.valid).toBeGreaterThan(tries / 10);
    expect(met.invalid).toBeGreaterThan(tries / 10);
    expect(met.codes.size).toBeGreaterThan(8);
  },
  300_000 * EFFORT,
);

function expectSame(next: DesiredRevision, whole: DesiredRevision, at: string): void {
  expect([...next.desired.state.rows], at).toEqual([...whole.desired.state.rows]);
  expect(next.desired.units, at).toEqual(whole.desired.units);
  for (const unit of whole.desired.units) {
    expect(next.desired.rowsOf(unit), `${at}, ${unit}`).toEqual(whole.desired.rowsOf(unit));
  }
  expect(new Map(next.compiled.addresses), at).toEqual(new Map(whole.compiled.addresses));
  expect(next.warnings, at).toEqual(whole.warnings);
  expect([next.repository, next.revision], at).toEqual([whole.repository, whole.revision]);
}

/** What differs is known to; what says the same in the very next revision is the same object, also in lists. */
function expectKept(before: DesiredNb, after: DesiredNb, isNext: boolean, at: string): void {
  const changed = after.changedSince(before);
  for (const unit of new Set([...before.units, ...after.units])) {
    const [old, now] = [before.rowsOf(unit), after.rowsOf(unit)];
    if (old !== now) expect(changed?.has(unit) ?? before.units.length === 0, `${at}, ${unit}`).toBe(true);
    if (isNext) expect(old === now, `${at}, ${unit}`).toBe(JSON.stringify(old) === JSON.stringify(now));
    for (const row of old) {
      expect(before.row(row.key), at).toBe(row);
      const next = after.row(row.key);
      if (isNext && JSON.stringify(next) === JSON.stringify(row)) expect(next, at).toBe(row);
    }
  }
}
