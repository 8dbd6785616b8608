import { groupBy } from '../../lib/group.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { isolatedDirections } from '../../model/policy-isolation.ts';
import { resourceId, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { requirementsOf, selects, type Requirements } from '../../model/selector.ts';
import { diagnose } from '../diagnose.ts';

type Direction = 'ingress' | 'egress';

/**
 * A port is restricted in a direction by security groups or by network policies, not by both: both would have to allow,
 * which one table of priorities cannot say.
 */
export function* doubleRestriction(set: ResourceSet): Iterable<Diagnostic> {
  const byNamespace = groupBy(set.all('Port'), (port) => port.namespace);
  const groups = new Memberships(set);
  const reported = new Set<string>();
  for (const policy of set.all('NetworkPolicy')) {
    const requirements = requirementsOf(policy.spec.podSelector);
    for (const direction of isolatedDirections(policy.spec)) {
      for (const port of byNamespace.get(policy.namespace) ?? []) {
        const key = `${direction} ${resourceId(port)}`;
        if (reported.has(key) || !selects(requirements, port.labels)) continue;
        const group = groups.restricting(port, direction);
        if (group === undefined) continue;
        reported.add(key);
        yield restrictedTwice(port, direction, group, policy);
      }
    }
  }
}

function restrictedTwice(
  port: ResourceOf<'Port'>,
  direction: Direction,
  group: ResourceOf<'SecurityGroup'>,
  policy: ResourceOf<'NetworkPolicy'>,
): Diagnostic {
  const [groupName, policyName] = [resourceId(group), resourceId(policy)];
  return diagnose(port, {
    code: 'SEC804',
    field: 'metadata.name',
    message: `${direction} of ${resourceId(port)} is restricted by both ${groupName} and ${policyName}, and only one of them can decide`,
    hint: `Keep the port out of ${groupName}, or out of what ${policyName} selects; or move all ${direction} rules to one of them and remove ${direction} from the other.`,
    related: [
      { resource: group, field: `spec.${direction}` },
      { resource: policy, field: 'spec.podSelector' },
    ],
  });
}

interface Group {
  readonly resource: ResourceOf<'SecurityGroup'>;
  /** Nothing without a selector: only ports that name the group are members. */
  readonly requirements: Requirements | undefined;
}

/** Which groups a port is a member of. */
class Memberships {
  readonly #set: ResourceSet;
  readonly #byVpc: ReadonlyMap<string, readonly Group[]>;

  constructor(set: ResourceSet) {
    this.#set = set;
    const groups = set.all('SecurityGroup').map((resource): Group => {
      const { selector } = resource.spec;
      return { resource, requirements: selector === undefined ? undefined : requirementsOf(selector) };
    });
    this.#byVpc = groupBy(groups, ({ resource }) => resource.spec.vpc);
  }

  /** The first group with the port as a member that has rules for the direction. */
  restricting(port: ResourceOf<'Port'>, direction: Direction): ResourceOf<'SecurityGroup'> | undefined {
    const vpc = this.#set.get('Subnet', port.spec.subnet)?.spec.vpc;
    const group = this.#byVpc.get(vpc ?? '')?.find(({ resource, requirements }) => {
      if (resource.spec[direction] === undefined) return false;
      const isNamed = port.spec.securityGroups?.includes(resource.name) ?? false;
      return isNamed || (requirements !== undefined && selects(requirements, port.labels));
    });
    return group?.resource;
  }
}
