import { fc, test as check } from '@fast-check/vitest';
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { parseMatch } from '../../src/spec/match/parse-match.ts';
import type { MatchProblem } from '../../src/spec/match/match-problem.ts';
import { startCentral } from '../support/ovn-central.ts';
import { BAD, GOOD, REFUSED } from './match-corpus.ts';

const NAMES = { sets: new Set(['web_ip4']), groups: new Set(['web']) };

function problemOf(expression: string): MatchProblem | undefined {
  const parsed = parseMatch(expression, NAMES);
  return parsed.ok ? undefined : parsed.error;
}

describe('match expressions', () => {
  test.each(GOOD)('%s is taken', (expression) => {
    expect(problemOf(expression)).toBeUndefined();
  });

  test.each(BAD)('%s is refused at character %i', (expression, character) => {
    expect(problemOf(expression)?.offset).toBe(character - 1);
  });

  test.each(REFUSED)('%s is refused: %s', (expression, message) => {
    expect(problemOf(expression)?.message).toBe(message);
  });

  test.each([
    ['tcp.dts == 80', 'there is no field tcp.dts; did you mean tcp.dst?'],
    ['tcp.dst == 70000', '70000 needs 17 bits, and tcp.dst has 16'],
    ['ip4.src == $other', '$other is no address set that can be named here'],
    ['ip4 && tcp || udp', '&& and || need parentheses when they are used together'],
    ['!ip4', 'ip4 can only be tested for being so, not for not being so'],
  ])('%s: %s', (expression, message) => {
    expect(problemOf(expression)?.message).toBe(message);
  });

  test('sets and groups can be named where they are known', () => {
    expect(problemOf('ip4.src == $web_ip4 && inport == @web')).toBeUndefined();
    expect(problemOf('ip4.src == {$web_ip4, 10.0.0.1}')).toBeUndefined();
  });

  check.prop([
    fc.array(
      fc.constantFrom(
        'ip4',
        'tcp.dst',
        'inport',
        '==',
        '!=',
        '<',
        '!',
        '(',
        ')',
        '{',
        '}',
        '[',
        ']',
        '..',
        ',',
        '&&',
        '||',
        '80',
        '"a"',
        '10.0.0.0/8',
        'fd00::1',
        '@web',
        '$x',
        ' ',
        '&',
        'é',
      ),
      { maxLength: 20 },
    ),
  ])('any text has an answer, at a place inside it', (words) => {
    const expression = words.join(' ');
    const problem = problemOf(expression);
    if (problem !== undefined) {
      expect(problem.offset).toBeLessThanOrEqual(expression.length);
      expect(problem.length).toBeGreaterThan(0);
    }
  });

  test('deep nesting is a problem, not a crash', () => {
    expect(problemOf('('.repeat(50_000))?.message).toBe('the expression is nested more than 100 deep');
  });
});

test('OVN itself agrees on every expression', async () => {
  const central = await startCentral();
  try {
    const refused = REFUSED.map(([expression]) => expression);
    // An empty match is no policy at all.
    const bad = BAD.map(([expression]) => expression).filter((expression) => expression !== '');
    central.nbctl('lr-add', 'r', '--', 'lrp-add', 'r', 'p', '0a:00:00:00:00:01', '10.0.0.1/24');
    const all = [...GOOD, ...refused, ...bad];
    central.nbctl(
      ...all
        .flatMap((expression, index) => ['--', 'lr-policy-add', 'r', String(index + 1), expression, 'drop'])
        .slice(1),
    );
    central.settle();
    const trace = spawnSync('ovn-trace', [`--db=${central.sb}`, '--minimal', 'r', 'inport == "p" && ip4'], {
      encoding: 'utf8',
    });
    const complaints = trace.stderr.split('\n').filter((line) => line.includes('parsing expression failed'));
    const complainedOf = all.filter((expression) =>
      complaints.some((line) => line.includes(`|WARN|${expression}: parsing`)),
    );
    expect(complainedOf.toSorted()).toEqual(bad.toSorted());
  } finally {
    await central.stop();
  }
});
