import { groupBy } from '../lib/group.ts';
import { BALANCERS_OF_VPC, GROUPS_OF_VPC, NATS_OF_VPC, PORTS_OF_SUBNET } from '../model/relations.ts';
import { resourceId, type Resource, type ResourceOf } from '../model/resource.ts';
import type { ResourceSet } from '../model/resource-set.ts';
import type { Kind } from '../model/specs.ts';

/**
 * Resources that are checked together, because they are told apart from each other: a subnet with its ports, a VPC with
 * what translates, balances and guards there. Any other resource is a part of its own.
 */
export class Part {
  /** All of them. */
  readonly every: readonly Resource[];
  readonly #byKind: ReadonlyMap<Kind, readonly Resource[]>;

  constructor(every: readonly Resource[]) {
    this.every = every;
    this.#byKind = groupBy(every, ({ kind }) => kind);
  }

  /** Those of one kind, in canonical order. */
  all<K extends Kind>(kind: K): readonly ResourceOf<K>[] {
    return (this.#byKind.get(kind) ?? []) as unknown as readonly ResourceOf<K>[];
  }
}

/** The name of the part that a resource is in. */
export function partOf(resource: Resource): string {
  switch (resource.kind) {
    case 'Port':
      return `Subnet/${resource.spec.subnet}`;
    case 'Nat':
    case 'LoadBalancer':
    case 'SecurityGroup':
      return `Vpc/${resource.spec.vpc}`;
    case 'Repository':
    case 'Vpc':
    case 'Subnet':
    case 'Peering':
    case 'ProviderNetwork':
    case 'Eip':
    case 'NetworkPolicy':
    case 'Namespace':
    case 'AddressLock':
      return resourceId(resource);
  }
}

/** The part of that name; it may be empty, and its subnet or VPC may be missing. */
export function readPart(set: ResourceSet, key: string): Part {
  const slash = key.indexOf('/');
  const [kind, name] = [key.slice(0, slash) as Kind, key.slice(slash + 1)];
  const own = set.get(kind, name) as Resource | undefined;
  return new Part([...(own === undefined ? [] : [own]), ...othersOf(set, kind, name)]);
}

function othersOf(set: ResourceSet, kind: Kind, name: string): readonly Resource[] {
  if (kind === 'Subnet') return set.related(PORTS_OF_SUBNET, name);
  if (kind !== 'Vpc') return [];
  return [
    ...set.related(NATS_OF_VPC, name),
    ...set.related(BALANCERS_OF_VPC, name),
    ...set.related(GROUPS_OF_VPC, name),
  ];
}
