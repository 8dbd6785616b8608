import type { Diagnostic } from '../../model/diagnostic.ts';
import { isolatedDirections } from '../../model/policy-isolation.ts';
import { GROUPS_OF_VPC, POLICIES_OF_NAMESPACE } from '../../model/relations.ts';
import { resourceId, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { requirementsOf, selects, type Requirements } from '../../model/selector.ts';
import { diagnose } from '../diagnose.ts';
import type { Part } from '../parts.ts';

type Direction = 'ingress' | 'egress';

/**
 * A port is restricted in a direction by security groups or by network policies, not by both: both would have to allow,
 * which one table of priorities cannot say.
 */
export function* doubleRestriction(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  const policies = new Map<string, readonly Restriction[]>();
  const [first] = part.all('Port');
  const vpc = first === undefined ? undefined : set.get('Subnet', first.spec.subnet)?.spec.vpc;
  const groups = vpc === undefined ? [] : set.related(GROUPS_OF_VPC, vpc).map(groupOf);
  for (const port of groups.length === 0 ? [] : part.all('Port')) {
    if (port.namespace === undefined) continue;
    const restrictions = policies.get(port.namespace) ?? restrictionsIn(set, port.namespace);
    policies.set(port.namespace, restrictions);
    for (const direction of ['ingress', 'egress'] as const) {
      const policy = restrictions.find(
        (each) => each.directions.includes(direction) && selects(each.requirements, port.labels),
      );
      const group =
        policy === undefined ? undefined : groups.find((each) => restricts(each, port, direction));
      if (policy !== undefined && group !== undefined)
        yield restrictedTwice(port, direction, group.resource, policy.policy);
    }
  }
}

interface Restriction {
  readonly policy: ResourceOf<'NetworkPolicy'>;
  readonly requirements: Requirements;
  readonly directions: readonly Direction[];
}

function restrictionsIn(set: ResourceSet, namespace: string): readonly Restriction[] {
  return set.related(POLICIES_OF_NAMESPACE, namespace).map((policy) => ({
    policy,
    requirements: requirementsOf(policy.spec.podSelector),
    directions: isolatedDirections(policy.spec),
  }));
}

interface Group {
  readonly resource: ResourceOf<'SecurityGroup'>;
  /** Nothing without a selector: only ports that name the group are members. */
  readonly requirements: Requirements | undefined;
}

function groupOf(resource: ResourceOf<'SecurityGroup'>): Group {
  const { selector } = resource.spec;
  return { resource, requirements: selector === undefined ? undefined : requirementsOf(selector) };
}

/** True when the port is a member of the group and the group has rules for the direction. */
function restricts(
  { resource, requirements }: Group,
  port: ResourceOf<'Port'>,
  direction: Direction,
): boolean {
  if (resource.spec[direction] === undefined) return false;
  const isNamed = port.spec.securityGroups?.includes(resource.name) ?? false;
  return isNamed || (requirements !== undefined && selects(requirements, port.labels));
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
