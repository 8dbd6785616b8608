import { compareText } from '../lib/order.ts';
import type { Resource, ResourceOf } from './resource.ts';
import { resourceId, scopedName } from './resource.ts';
import type { Kind } from './specs.ts';

/** All resources of one revision: looked up by kind and name, iterated in canonical order whatever the file order was. */
export class ResourceSet {
  readonly #byKind = new Map<Kind, Map<string, Resource>>();

  /** Of two resources with one identity the first one counts; the rule that refuses them has seen both. */
  constructor(resources: readonly Resource[]) {
    const ordered = resources.toSorted((a, b) => compareText(resourceId(a), resourceId(b)));
    for (const resource of ordered) {
      const named = this.#byKind.get(resource.kind) ?? new Map<string, Resource>();
      if (!named.has(scopedName(resource))) named.set(scopedName(resource), resource);
      this.#byKind.set(resource.kind, named);
    }
  }

  /** All resources of one kind in canonical order. */
  all<K extends Kind>(kind: K): readonly ResourceOf<K>[] {
    return [...(this.#byKind.get(kind)?.values() ?? [])] as unknown as readonly ResourceOf<K>[];
  }

  /** The resource of that kind and (scoped) name, if there is one. */
  get<K extends Kind>(kind: K, name: string): ResourceOf<K> | undefined {
    return this.#byKind.get(kind)?.get(name) as unknown as ResourceOf<K> | undefined;
  }
}
