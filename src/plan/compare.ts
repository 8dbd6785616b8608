import type { ColumnRule, TextForm } from './columns.ts';
import type { LiveAtom, LiveValue } from '../model/live.ts';
import type { NbValue, Ref, RowKey } from '../model/nb.ts';
import { addressText } from './text-form.ts';

/** Reads references of the live database as keys of ours; undefined for a row that is not ours. */
export type KeyOf = (uuid: string) => RowKey | undefined;

/**
 * The live value of a column in the vocabulary of the desired state, cut down to what is ours (owned map keys, own
 * members of reference sets); undefined when nothing of ours is there.
 */
export function ownedValue(
  rule: ColumnRule,
  live: LiveValue,
  desired: NbValue | undefined,
  keyOf: KeyOf,
): NbValue | undefined {
  switch (rule.kind) {
    case 'value':
      return plainValue(live);
    case 'set': {
      const members = atoms(live).map(String);
      return members.length === 0 ? undefined : members;
    }
    case 'reference': {
      const [uuid] = atoms(live);
      return uuid === undefined ? undefined : reference(String(uuid), keyOf);
    }
    case 'references': {
      const members = ownReferences(live, keyOf);
      return members.length === 0 ? undefined : members;
    }
    case 'map':
      return ownedMap(rule.keys, live, desired);
  }
}

/** True when both say the same: spelling of addresses, order of sets and explicit defaults do not count. */
export function sameValue(rule: ColumnRule, a: NbValue | undefined, b: NbValue | undefined): boolean {
  if (a === b) return true;
  switch (rule.kind) {
    case 'value':
      return canonicalScalar(rule.text, a ?? rule.absent) === canonicalScalar(rule.text, b ?? rule.absent);
    case 'set':
      return (
        sameSet(textMembers('plain', a), textMembers('plain', b)) ||
        (rule.text === 'address' && sameSet(textMembers('address', a), textMembers('address', b)))
      );
    case 'reference':
    case 'references':
      return sameSet(referenceMembers(a), referenceMembers(b));
    case 'map':
      return sameMap(mapEntries(a), mapEntries(b));
  }
}

function ownedMap(
  owned: readonly string[] | undefined,
  live: LiveValue,
  desired: NbValue | undefined,
): Readonly<Record<string, string>> | undefined {
  if (!(live instanceof Map)) return undefined;
  const wanted = mapEntries(desired);
  const entries: [string, string][] = [];
  for (const [key, value] of live as ReadonlyMap<LiveAtom, LiveAtom>) {
    const name = String(key);
    if (owned === undefined || owned.includes(name) || name in wanted) entries.push([name, String(value)]);
  }
  return entries.length === 0
    ? undefined
    : Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function ownReferences(live: LiveValue, keyOf: KeyOf): readonly Ref[] {
  const refs: Ref[] = [];
  for (const uuid of atoms(live)) {
    const key = keyOf(String(uuid));
    if (key !== undefined) refs.push({ ref: key });
  }
  return refs.toSorted((a, b) => (a.ref < b.ref ? -1 : 1));
}

function reference(uuid: string, keyOf: KeyOf): Ref {
  return { ref: keyOf(uuid) ?? (`uuid ${uuid}` as RowKey) };
}

function plainValue(live: LiveValue): NbValue | undefined {
  const [atom] = atoms(live);
  return typeof atom === 'bigint' ? String(atom) : atom;
}

function atoms(live: LiveValue): readonly LiveAtom[] {
  if (live === undefined || live instanceof Map) return [];
  return Array.isArray(live) ? (live as readonly LiveAtom[]) : [live as LiveAtom];
}

/** An empty string, zero and an absent value are one and the same. */
function canonicalScalar(form: TextForm, value: NbValue | undefined): string | number | boolean {
  if (typeof value === 'string') return form === 'address' ? addressText(value) : value;
  if (typeof value === 'boolean') return value;
  return typeof value === 'number' && value !== 0 ? value : '';
}

function textMembers(form: TextForm, value: NbValue | undefined): readonly string[] {
  const members = Array.isArray(value) ? (value as readonly string[]) : [];
  return form === 'address' ? members.map(addressText) : members;
}

function referenceMembers(value: NbValue | undefined): readonly string[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return (value as readonly Ref[]).map((member) => member.ref);
  return [(value as Ref).ref];
}

/** A map value as a record; empty when there is none. */
export function mapEntries(value: NbValue | undefined): Readonly<Record<string, string>> {
  return value === undefined ? {} : (value as Readonly<Record<string, string>>);
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  if (a.every((member, index) => member === b[index])) return true;
  const members = new Set(a);
  return b.every((member) => members.has(member)) && members.size === new Set(b).size;
}

function sameMap(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
