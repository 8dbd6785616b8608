import type { ColumnSchema } from '../protocol/schema.ts';
import { type Atom, ProtocolError, type Value, compareAtoms, isSet } from '../protocol/value.ts';

/**
 * Applies what update2 and update3 say of a changed column (ovsdb-server(7) 4.1.14). Where a column holds at most one
 * element the difference is the new value. Otherwise it is, for a set, the elements that change sides, and for a map
 * the pairs that are new or changed, with the new value, or removed, with the old one.
 */
export function applyDifference(column: ColumnSchema, before: Value, difference: Value): Value {
  if (column.max === 1) return difference;
  if (isSet(before) && isSet(difference)) return toggleMembers(before, difference);
  if (before instanceof Map && difference instanceof Map) return applyToMap(before, difference);
  throw new ProtocolError(`the difference of ${column.name} is of another kind than its value`);
}

/**
 * Both are sorted. A few members of a large set are found by halving, and what lies between them is copied in one go: most
 * changes are of one port in a switch of thousands.
 */
function toggleMembers(before: readonly Atom[], toggled: readonly Atom[]): readonly Atom[] {
  if (toggled.length * SEARCH_COST > before.length) return mergeMembers(before, toggled);
  const runs: (readonly Atom[])[] = [];
  let from = 0;
  for (const atom of toggled) {
    const at = placeOf(atom, before, from);
    const isMember = before[at] === atom;
    runs.push(before.slice(from, at));
    if (!isMember) runs.push([atom]);
    from = isMember ? at + 1 : at;
  }
  runs.push(before.slice(from));
  return NO_ATOMS.concat(...runs);
}

/** About how many members a merge passes in the time that one search takes. */
const SEARCH_COST = 16;
const NO_ATOMS: readonly Atom[] = [];

/** The place of the first member from `from` on that is not less than `atom`. */
function placeOf(atom: Atom, members: readonly Atom[], from: number): number {
  let [low, high] = [from, members.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareAtoms(members[middle] as Atom, atom) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A merge that copies each element once. */
function mergeMembers(before: readonly Atom[], toggled: readonly Atom[]): readonly Atom[] {
  const after: Atom[] = [];
  let at = 0;
  for (const atom of toggled) {
    let order = 1;
    while (at < before.length) {
      order = compareAtoms(before[at] as Atom, atom);
      if (order >= 0) break;
      after.push(before[at++] as Atom);
    }
    if (at < before.length && order === 0) at++;
    else after.push(atom);
  }
  while (at < before.length) after.push(before[at++] as Atom);
  return after;
}

function applyToMap(
  before: ReadonlyMap<Atom, Atom>,
  difference: ReadonlyMap<Atom, Atom>,
): ReadonlyMap<Atom, Atom> {
  const after = new Map(before);
  for (const [key, atom] of difference) {
    if (after.get(key) === atom) after.delete(key);
    else after.set(key, atom);
  }
  return sortedMap(after);
}

/** Keys that were added come last in a Map: put them where the server would. */
function sortedMap(map: ReadonlyMap<Atom, Atom>): ReadonlyMap<Atom, Atom> {
  let last: Atom | undefined;
  for (const key of map.keys()) {
    if (last !== undefined && compareAtoms(last, key) > 0) {
      return new Map([...map].toSorted(([a], [b]) => compareAtoms(a, b)));
    }
    last = key;
  }
  return map;
}
