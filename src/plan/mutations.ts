import { compareText } from '../lib/order.ts';
import type { Mutation, Operation } from '../ovsdb/index.ts';
import type { Holder } from '../model/live.ts';
import { encodeMap, encodeUuid, encodeUuids } from './wire.ts';

/** Collects the member-by-member changes of sets and maps into one `mutate` per row (RFC 7047 5.2.4). */
export class Mutations {
  readonly #rows = new Map<string, { table: string; uuid: string; mutations: Mutation[] }>();
  readonly #members = new Map<string, { holder: Holder; joins: Set<string>; leaves: Set<string> }>();

  /** Replaces map keys: `stale` are taken out first, because `insert` does not overwrite. */
  changeMap(
    table: string,
    uuid: string,
    column: string,
    stale: readonly string[],
    entries: Readonly<Record<string, string>>,
  ): void {
    if (stale.length > 0) this.#add(table, uuid, [column, 'delete', ['set', stale.toSorted(compareText)]]);
    if (Object.keys(entries).length > 0) this.#add(table, uuid, [column, 'insert', encodeMap(entries)]);
  }

  /** Changes a set of texts; new members come first, so that a set that must not be empty never is. */
  changeSet(
    table: string,
    uuid: string,
    column: string,
    from: readonly string[],
    to: readonly string[],
  ): void {
    const added = to.filter((member) => !from.includes(member));
    const removed = from.filter((member) => !to.includes(member));
    if (added.length > 0) this.#add(table, uuid, [column, 'insert', ['set', added]]);
    if (removed.length > 0) this.#add(table, uuid, [column, 'delete', ['set', removed]]);
  }

  /** Changes a set of references by UUID. */
  changeReferences(
    table: string,
    uuid: string,
    column: string,
    from: readonly string[],
    to: readonly string[],
  ): void {
    const before = new Set(from);
    const after = new Set(to);
    for (const member of to) if (!before.has(member)) this.join({ table, uuid, column }, member);
    for (const member of from) if (!after.has(member)) this.leave({ table, uuid, column }, member);
  }

  /** Puts a row into a parent's set. */
  join(holder: Holder, member: string): void {
    this.#membership(holder).joins.add(member);
  }

  /** Takes a row out of a parent's set. */
  leave(holder: Holder, member: string): void {
    this.#membership(holder).leaves.add(member);
  }

  /** One `mutate` per row, in the order in which rows were first named. */
  operations(): readonly Operation[] {
    for (const { holder, joins, leaves } of this.#members.values()) {
      const { table, uuid, column } = holder;
      if (joins.size > 0)
        this.#add(table, uuid, [column, 'insert', encodeUuids([...joins].toSorted(compareText))]);
      if (leaves.size > 0)
        this.#add(table, uuid, [column, 'delete', encodeUuids([...leaves].toSorted(compareText))]);
    }
    this.#members.clear();
    return [...this.#rows.values()].map(({ table, uuid, mutations }): Operation => ({
      op: 'mutate',
      table,
      where: [['_uuid', '==', encodeUuid(uuid)]],
      mutations,
    }));
  }

  #membership(holder: Holder): { joins: Set<string>; leaves: Set<string> } {
    const id = `${holder.table} ${holder.uuid} ${holder.column}`;
    const known = this.#members.get(id);
    if (known !== undefined) return known;
    const entry = { holder, joins: new Set<string>(), leaves: new Set<string>() };
    this.#members.set(id, entry);
    return entry;
  }

  #add(table: string, uuid: string, mutation: Mutation): void {
    const id = `${table} ${uuid}`;
    const row = this.#rows.get(id) ?? { table, uuid, mutations: [] };
    row.mutations.push(mutation);
    this.#rows.set(id, row);
  }
}
