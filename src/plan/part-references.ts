import type { LiveNb } from '../model/live.ts';
import type { NbRow, NbValue, Ref, RowKey } from '../model/nb.ts';
import type { DesiredNb } from './desired.ts';
import { matchingRows } from './matching-rows.ts';
import { isRef } from './wire.ts';

/** What a transaction is written from, as far as parts of plans go. */
interface PartInput {
  readonly desired: DesiredNb;
  readonly live: LiveNb;
  readonly owner: string;
  readonly isPart?: boolean;
}

/**
 * Which members of sets of references a part of a plan writes: rows that come with a later part join their groups with
 * it, and rows that a later part deletes stay in theirs until then, since without them they would be unguarded. In a
 * transaction that is not a part nothing is left for later.
 */
export class PartReferences {
  readonly #input: PartInput;
  readonly #isThere: (key: RowKey) => boolean;

  constructor(input: PartInput, isThere: (key: RowKey) => boolean) {
    this.#input = input;
    this.#isThere = isThere;
  }

  /** Of a set of references those whose rows are there once the part is written; any other value as it is. */
  within<T extends NbValue | undefined>(value: T): T | readonly Ref[] {
    if (this.#input.isPart !== true || !Array.isArray(value) || !isRef(value[0])) return value;
    return referencesOf(value).filter(({ ref }) => this.#isThere(ref));
  }

  /** Of the references that are in a set now those that may leave it now. */
  leaving(value: NbValue | undefined): NbValue | undefined {
    if (this.#input.isPart !== true) return value;
    return referencesOf(value).filter(({ ref }) => this.#input.desired.row(ref) !== undefined);
  }

  /** False for a group that is not yet what it is to be once the part is written. */
  isWhole(row: NbRow): boolean {
    if (this.#input.isPart !== true || row.table !== 'Port_Group') return true;
    if (!referencesOf(row.columns['ports']).every(({ ref }) => this.#isThere(ref))) return false;
    const held = matchingRows(this.#input, row)[0]?.columns['ports'];
    return (Array.isArray(held) ? (held as readonly string[]) : []).every((uuid) => {
      const key = this.#input.live.identity('Logical_Switch_Port', uuid)?.key;
      return key === undefined || this.#input.desired.row(key) !== undefined;
    });
  }
}

/** The members of a set of references. */
export function referencesOf(value: NbValue | undefined): readonly Ref[] {
  return Array.isArray(value) ? (value as readonly Ref[]) : [];
}
