/** True for plain values (texts, numbers, arrays, objects) that say the same. The order of an object's keys says nothing. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => isEqual(item, b[index]));
  }
  const [one, two] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(two).length) return false;
  return keys.every((key) => Object.hasOwn(two, key) && isEqual(one[key], two[key]));
}

/** The value from before when the new one says the same, so that whoever knows it by its identity sees no change. */
export function reuse<T>(before: T | undefined, now: T): T {
  return before !== undefined && isEqual(before, now) ? before : now;
}
