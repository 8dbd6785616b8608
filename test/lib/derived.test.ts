import { expect, test } from 'vitest';
import { DerivedMap, DerivedRoots, InputMap } from '../../src/lib/derived-maps.ts';

/** Numbers by name that are set from outside, their parities, and sums of parities by name of two numbers: `a+b`. */
class Sums {
  readonly runs: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #inputs = new InputMap();
  readonly #parities = new DerivedMap((name) => {
    this.runs.push(name);
    this.#inputs.read(name);
    return (this.#numbers.get(name) ?? 0) % 2;
  });
  readonly sums: DerivedRoots<number> = new DerivedRoots((name) => {
    this.runs.push(name);
    return name.split('+').reduce((sum, each) => sum + this.#parities.get(each), 0);
  });

  set(name: string, value: number): void {
    this.#numbers.set(name, value);
    this.#inputs.change(name);
  }

  changes(): Record<string, number> {
    this.runs.length = 0;
    return Object.fromEntries(this.sums.changes());
  }
}

test('only what has read a change is worked out again, and nothing further where it makes no difference', () => {
  const sums = new Sums();
  sums.sums.keep('a+b');
  sums.sums.keep('b+c');
  expect(sums.changes()).toEqual({ 'a+b': 0, 'b+c': 0 });
  sums.set('a', 1);
  expect(sums.changes()).toEqual({ 'a+b': 1 });
  expect(sums.runs).toEqual(['a', 'a+b']);
  sums.set('b', 2);
  sums.changes();
  expect(sums.runs).toEqual(['b']);
  expect(sums.changes()).toEqual({});
});

test('what nobody wants any more is forgotten, and worked out anew when it is wanted again', () => {
  const sums = new Sums();
  sums.sums.keep('a+b');
  sums.changes();
  sums.sums.drop('a+b');
  sums.set('a', 1);
  expect(sums.changes()).toEqual({});
  expect(sums.runs).toEqual([]);
  sums.sums.keep('a+a');
  expect(sums.changes()).toEqual({ 'a+a': 2 });
});

test('a computation that failed is tried again', () => {
  let isBroken = true;
  const roots = new DerivedRoots(() => {
    if (isBroken) throw new Error('broken');
    return 1;
  });
  roots.keep('x');
  expect(() => roots.changes()).toThrow('broken');
  isBroken = false;
  expect([...roots.changes()]).toEqual([['x', 1]]);
});
