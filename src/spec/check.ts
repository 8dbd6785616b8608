import { DerivedRoots } from '../lib/derived-maps.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { ResourceChange } from '../model/relation-index.ts';
import type { ResourceSet } from '../model/resource-set.ts';
import { Part, partOf, readPart } from './parts.ts';
import { RULES, RULES_OF_EACH } from './rules/index.ts';
import { repeatedIdentities } from './rules/unique-identity.ts';
import type { Unread } from './unread.ts';

/** What is checked beside the parts: resources whose identity was declared before. */
const REPEATED = 'repeated';
const NOTHING: readonly Diagnostic[] = [];

/**
 * Everything that is wrong between the resources, part by part, so that only those parts are checked again that a change
 * reaches. Rules skip what does not resolve, and do not miss what an unread document seems to declare: one mistake, one
 * diagnostic.
 */
export class Checks {
  readonly #set: ResourceSet;
  readonly #unread: Unread;
  readonly #parts: DerivedRoots<Checked>;
  /** Of the parts with which something is wrong. */
  readonly #diagnostics = new Map<string, readonly Diagnostic[]>();

  constructor(set: ResourceSet, unread: Unread) {
    this.#set = set;
    this.#unread = unread;
    this.#parts = new DerivedRoots((key) => (key === REPEATED ? this.#checkRepeated() : this.#check(key)));
    this.#parts.keep(REPEATED);
  }

  /** Learns which resources there are from now on. */
  follow(changes: readonly ResourceChange[]): void {
    for (const { after } of changes) if (after !== undefined) this.#parts.keep(partOf(after));
  }

  /** The diagnostics as things stand, in no particular order. */
  diagnostics(): readonly Diagnostic[] {
    for (const [key, { diagnostics, isEmpty }] of this.#parts.changes()) {
      if (diagnostics.length > 0) this.#diagnostics.set(key, diagnostics);
      else this.#diagnostics.delete(key);
      if (isEmpty) this.#parts.drop(key);
    }
    return [...this.#diagnostics.values()].flat();
  }

  #check(key: string): Checked {
    const part = readPart(this.#set, key);
    const isEmpty = part.every.length === 0;
    if (isEmpty) return { diagnostics: NOTHING, isEmpty };
    const rules = [...RULES_OF_EACH, ...RULES];
    return { diagnostics: rules.flatMap((rule) => [...rule(part, this.#set, this.#unread)]), isEmpty };
  }

  /** Of resources with one identity all but the first are looked at by themselves only. */
  #checkRepeated(): Checked {
    const others = new Part([...this.#set.repeated().values()].flatMap((all) => all.slice(1)));
    const ofEach = RULES_OF_EACH.flatMap((rule) => [...rule(others, this.#set, this.#unread)]);
    return { diagnostics: [...repeatedIdentities(this.#set), ...ofEach], isEmpty: false };
  }
}

interface Checked {
  readonly diagnostics: readonly Diagnostic[];
  /** True for a part of which nothing is left. */
  readonly isEmpty: boolean;
}
