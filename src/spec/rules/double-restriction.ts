import { groupBy } from '../../lib/group.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { resourceId, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { isolates } from '../topology/isolation.ts';
import { selects } from '../topology/label-selector.ts';
import { topologyOf } from '../topology/topology.ts';

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
    for (const direction of ['ingress', 'egress'] as const) {
      if (!isolates(policy.spec, direction)) continue;
      for (const port of byNamespace.get(policy.namespace) ?? []) {
        const key = `${direction} ${resourceId(port)}`;
        if (reported.has(key) || !selects(policy.spec.podSelector, port.labels)) continue;
        const group = groups.restricting(port, direction);
        if (group === undefined) continue;
        reported.add(key);
        yield diagnose(port, {
          code: 'SEC804',
          field: 'metadata.name',
          message: `${direction} of ${resourceId(port)} is restricted by both ${resourceId(group)} and ${resourceId(policy)}`,
          hint: 'Use one of them for a direction: remove the direction from the group, or let the policy not select the port.',
          related: [
            { resource: group, field: `spec.${direction}` },
            { resource: policy, field: 'spec.podSelector' },
          ],
        });
      }
    }
  }
}

/** Which groups a port is a member of. */
class Memberships {
  readonly #set: ResourceSet;
  readonly #byVpc: ReadonlyMap<string, readonly ResourceOf<'SecurityGroup'>[]>;

  constructor(set: ResourceSet) {
    this.#set = set;
    this.#byVpc = groupBy(set.all('SecurityGroup'), (group) => group.spec.vpc);
  }

  /** The first group with the port as a member that has rules for the direction. */
  restricting(port: ResourceOf<'Port'>, direction: Direction): ResourceOf<'SecurityGroup'> | undefined {
    const vpc = topologyOf(this.#set).networksOf(port.spec.subnet)[0]?.subnet.spec.vpc;
    if (vpc === undefined) return undefined;
    return this.#byVpc.get(vpc)?.find(({ name, spec }) => {
      const named = port.spec.securityGroups?.includes(name) ?? false;
      const selected = spec.selector !== undefined && selects(spec.selector, port.labels);
      return spec[direction] !== undefined && (named || selected);
    });
  }
}
