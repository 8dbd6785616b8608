import { InputMap } from '../lib/derived-maps.ts';
import { compareText } from '../lib/order.ts';
import type { Relation } from './relations.ts';
import { scopedName, type Resource, type ResourceOf } from './resource.ts';
import type { Kind } from './specs.ts';

/** A resource that was replaced by another one of its name, came or went. */
export interface ResourceChange {
  readonly before: Resource | undefined;
  readonly after: Resource | undefined;
}

/** The resources of a relation by name, kept up to date change by change. */
export class RelationIndex<K extends Kind> {
  readonly #relation: Relation<K>;
  readonly #lists = new Map<string, readonly ResourceOf<K>[]>();
  readonly #content = new InputMap();
  readonly #presence = new InputMap();

  constructor(relation: Relation<K>, resources: Iterable<ResourceOf<K>>) {
    this.#relation = relation;
    this.#replace([], resources);
  }

  /** In canonical order. */
  get(key: string): readonly ResourceOf<K>[] {
    this.#content.read(key);
    return this.#lists.get(key) ?? [];
  }

  /** True when there is any; whoever asks does not depend on which ones there are. */
  has(key: string): boolean {
    this.#presence.read(key);
    return this.#lists.has(key);
  }

  apply(changes: readonly ResourceChange[]): void {
    const { kind } = this.#relation;
    const ofKind = (resource: Resource | undefined): readonly ResourceOf<K>[] =>
      resource?.kind === kind ? [resource as unknown as ResourceOf<K>] : [];
    this.#replace(
      changes.flatMap(({ before }) => ofKind(before)),
      changes.flatMap(({ after }) => ofKind(after)),
    );
  }

  #replace(gone: Iterable<ResourceOf<K>>, come: Iterable<ResourceOf<K>>): void {
    const removed = this.#byKey(gone);
    const added = this.#byKey(come);
    for (const key of new Set([...removed.keys(), ...added.keys()])) {
      const before = this.#lists.get(key) ?? [];
      const leaving = removed.get(key);
      const staying = leaving === undefined ? before : before.filter((resource) => !leaving.has(resource));
      const after = inOrder([...staying, ...(added.get(key) ?? [])]);
      if (after.length === 0) this.#lists.delete(key);
      else this.#lists.set(key, after);
      this.#content.change(key);
      if ((before.length === 0) !== (after.length === 0)) this.#presence.change(key);
    }
  }

  /** A resource that names a key twice is there once. */
  #byKey(resources: Iterable<ResourceOf<K>>): ReadonlyMap<string, ReadonlySet<ResourceOf<K>>> {
    const byKey = new Map<string, Set<ResourceOf<K>>>();
    for (const resource of resources) {
      for (const key of this.#relation.keysOf(resource)) {
        const known = byKey.get(key);
        if (known === undefined) byKey.set(key, new Set([resource]));
        else known.add(resource);
      }
    }
    return byKey;
  }
}

/** Resources of one kind by their scoped names. */
export function inOrder<K extends Kind>(resources: readonly ResourceOf<K>[]): readonly ResourceOf<K>[] {
  if (resources.length < 2) return resources;
  return resources
    .map((resource) => ({ resource, name: scopedName(resource) }))
    .toSorted((a, b) => compareText(a.name, b.name))
    .map(({ resource }) => resource);
}
