import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { EMPTY_LIVE } from '../src/model/live.ts';
import { compareText } from '../src/lib/order.ts';
import { diff } from '../src/plan/diff.ts';
import { liveFromState } from '../src/plan/live-from-state.ts';
import { printPlans } from '../src/plan/print.ts';
import { desiredFrom } from './support/apply-harness.ts';

const CASES = path.join(import.meta.dirname, 'cases');
const cases = readdirSync(CASES).filter((name) => name.startsWith('plan-'));

/** Each folder has a repository in `specs/`, and in `base/` the one before it, if any; UPDATE=1 writes plan.txt anew. */
describe('plans', () => {
  test('there are cases', () => expect(cases.length).toBeGreaterThan(5));

  test.each(cases)('%s', (name) => {
    const directory = path.join(CASES, name);
    const base = existsSync(path.join(directory, 'base')) ? desiredFrom(read(directory, 'base')) : undefined;
    const head = desiredFrom(read(directory, 'specs'));
    const live = base === undefined ? EMPTY_LIVE : liveFromState(base.desired.state, 'test');
    const units = [...new Set([...head.desired.units, ...(base?.desired.units ?? [])])].toSorted(compareText);
    const plans = units.map((unit) =>
      diff({
        desired: head.desired,
        live,
        unit,
        owner: 'test',
        settled: false,
        policy: head.policy,
        isPreview: true,
      }),
    );
    const expected = path.join(directory, 'plan.txt');
    if (process.env['UPDATE'] === '1') writeFileSync(expected, printPlans(plans));
    expect(printPlans(plans)).toBe(readFileSync(expected, 'utf8'));
  });
});

function read(directory: string, folder: string): Record<string, string> {
  const files = readdirSync(path.join(directory, folder)).filter((file) => file.endsWith('.yaml'));
  return Object.fromEntries(
    files.map((file) => [file, readFileSync(path.join(directory, folder, file), 'utf8')]),
  );
}
