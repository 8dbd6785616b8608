import { compareText } from '../lib/order.ts';
import type { Resource, ResourceOf } from './resource.ts';
import { resourceId, scopedName } from './resource.ts';
import type { Kind } from './specs.ts';

/** All resources of one revision: looked up by kind and name, iterated in canonical order whatever the file order was. */
export class ResourceSet {
  readonly #byName = new Map<Kind, Map<string, Resource>>();
  readonly #inOrder = new Map<Kind, readonly Resource[]>();

  /** Of two resources with one identity the first one counts; the rule that refuses them has seen both. */
  constructor(resources: readonly Resource[]) {
    const ordered = resources
      .map((resource) => ({ resource, id: resourceId(resource) }))
      .toSorted((a, b) => compareText(a.id, b.id));
    for (const { resource } of ordered) {
      const named = this.#byName.get(resource.kind) ?? new Map<string, Resource>();
      const name = scopedName(resource);
      if (!named.has(name)) named.set(name, resource);
      this.#byName.set(resource.kind, named);
    }
    for (const [kind, named] of this.#byName) this.#inOrder.set(kind, [...named.values()]);
  }

  /** All resources of one kind in canonical order. */
  all<K extends Kind>(kind: K): readonly ResourceOf<K>[] {
    return (this.#inOrder.get(kind) ?? []) as unknown as readonly ResourceOf<K>[];
  }

  /** The resource of that kind and (scoped) name, if there is one. */
  get<K extends Kind>(kind: K, name: string): ResourceOf<K> | undefined {
    return this.#byName.get(kind)?.get(name) as unknown as ResourceOf<K> | undefined;
  }
}
