import { Input } from '../lib/derived.ts';
import { InputMap } from '../lib/derived-maps.ts';
import { inOrder, RelationIndex, type ResourceChange } from './relation-index.ts';
import type { Relation } from './relations.ts';
import { resourceId, type Resource, type ResourceOf } from './resource.ts';
import type { Kind } from './specs.ts';

/**
 * All resources of a revision: looked up by kind and name or by what they have to do with, in canonical order whatever
 * the file order was. `replace` makes it the set of another revision; what was derived from what changes is then worked
 * out again, and nothing else (lib/derived.ts).
 */
export class ResourceSet {
  readonly #byId = new Map<string, Resource>();
  /** Those of which there are several with one identity, in the order of the files. */
  readonly #repeated = new Map<string, readonly Resource[]>();
  readonly #inOrder = new Map<Kind, readonly Resource[]>();
  readonly #relations = new Map<Relation<Kind>, RelationIndex<Kind>>();
  readonly #readIds = new InputMap();
  readonly #readKinds = new InputMap();
  readonly #readNames = new InputMap();
  readonly #readRepeated = new Input();

  /** Of two resources with one identity the first one counts; the rule that refuses them sees both. */
  constructor(resources: readonly Resource[] = []) {
    this.replace([], resources);
  }

  /** All resources of one kind in canonical order. */
  all<K extends Kind>(kind: K): readonly ResourceOf<K>[] {
    this.#readKinds.read(kind);
    let resources = this.#inOrder.get(kind);
    if (resources === undefined) {
      resources = inOrder(this.#ofKind(kind)) as unknown as readonly Resource[];
      this.#inOrder.set(kind, resources);
    }
    return resources as unknown as readonly ResourceOf<K>[];
  }

  /** The resource of that kind and (scoped) name, if there is one. */
  get<K extends Kind>(kind: K, name: string): ResourceOf<K> | undefined {
    const id = `${kind}/${name}`;
    this.#readIds.read(id);
    return this.#byId.get(id) as unknown as ResourceOf<K> | undefined;
  }

  /** True when there is one; whoever asks depends on which names there are of that kind, and not on what they say. */
  has(kind: Kind, name: string): boolean {
    this.#readNames.read(kind);
    return this.#byId.has(`${kind}/${name}`);
  }

  /** The resources that have to do with a name, in canonical order. */
  related<K extends Kind>(relation: Relation<K>, name: string): readonly ResourceOf<K>[] {
    return this.#indexOf(relation).get(name);
  }

  /** True when there is a resource that has to do with the name. */
  isRelated<K extends Kind>(relation: Relation<K>, name: string): boolean {
    return this.#indexOf(relation).has(name);
  }

  /** Resources that share their identity, by identity, in the order of the files. */
  repeated(): ReadonlyMap<string, readonly Resource[]> {
    this.#readRepeated.read();
    return this.#repeated;
  }

  /** Takes resources out and puts others in; says which identities lead to another resource than before. */
  replace(removed: readonly Resource[], added: readonly Resource[]): readonly ResourceChange[] {
    const before = new Map<string, Resource | undefined>();
    const note = (id: string): void => {
      if (!before.has(id)) before.set(id, this.#byId.get(id));
    };
    for (const resource of removed) {
      const id = resourceId(resource);
      note(id);
      this.#undeclare(id, resource);
    }
    for (const resource of added) {
      const id = resourceId(resource);
      note(id);
      this.#declare(id, resource);
    }
    const changes: ResourceChange[] = [];
    for (const [id, old] of before) {
      const after = this.#byId.get(id);
      if (after === old) continue;
      changes.push({ before: old, after });
      this.#readIds.change(id);
    }
    this.#announce(changes);
    return changes;
  }

  #announce(changes: readonly ResourceChange[]): void {
    const kinds = new Set(changes.flatMap(({ before, after }) => before?.kind ?? after?.kind ?? []));
    for (const kind of kinds) {
      this.#inOrder.delete(kind);
      this.#readKinds.change(kind);
    }
    for (const { before, after } of changes) {
      if (before === undefined || after === undefined) this.#readNames.change((before ?? after)?.kind ?? '');
    }
    for (const [{ kind }, index] of this.#relations) if (kinds.has(kind)) index.apply(changes);
  }

  #declare(id: string, resource: Resource): void {
    const known = this.#byId.get(id);
    if (known === undefined) {
      this.#byId.set(id, resource);
      return;
    }
    const all = [...(this.#repeated.get(id) ?? [known]), resource].toSorted(compareFiles);
    this.#repeated.set(id, all);
    this.#readRepeated.change();
    this.#byId.set(id, all[0] ?? resource);
  }

  #undeclare(id: string, resource: Resource): void {
    const repeated = this.#repeated.get(id);
    if (repeated === undefined) {
      this.#byId.delete(id);
      return;
    }
    const rest = repeated.filter((other) => other !== resource);
    if (rest.length > 1) this.#repeated.set(id, rest);
    else this.#repeated.delete(id);
    this.#readRepeated.change();
    if (rest[0] !== undefined) this.#byId.set(id, rest[0]);
  }

  #ofKind<K extends Kind>(kind: K): readonly ResourceOf<K>[] {
    return [...this.#byId.values()].filter(
      (resource) => resource.kind === kind,
    ) as unknown as ResourceOf<K>[];
  }

  #indexOf<K extends Kind>(relation: Relation<K>): RelationIndex<K> {
    const known = this.#relations.get(relation as unknown as Relation<Kind>);
    if (known !== undefined) return known as unknown as RelationIndex<K>;
    const index = new RelationIndex(relation, this.#ofKind(relation.kind));
    this.#relations.set(relation as unknown as Relation<Kind>, index as unknown as RelationIndex<Kind>);
    return index;
  }
}

/** By file, then by place in it. Those of one place stay as they were given. */
function compareFiles(a: Resource, b: Resource): number {
  const [one, two] = [a.origin.place, b.origin.place];
  if (one.file !== two.file) return one.file < two.file ? -1 : 1;
  return one.line - two.line || one.column - two.column;
}
