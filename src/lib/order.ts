/** Orders strings by code unit, the same on every machine and in every locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A sorted copy without duplicates: the canonical form of a set of strings. */
export function sortedSet(values: Iterable<string>): readonly string[] {
  return [...new Set(values)].toSorted(compareText);
}

/** A copy of `record` whose keys are in canonical order, so that equal maps print equal bytes. */
export function sortedRecord<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => compareText(a, b)));
}
