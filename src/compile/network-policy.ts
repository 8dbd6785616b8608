import { invariant } from '../lib/invariant.ts';
import { compareText } from '../lib/order.ts';
import type { Ref, RowKey } from '../model/nb.ts';
import { rowKey } from '../model/nb.ts';
import { isolatedDirections } from '../model/policy-isolation.ts';
import { inOrder } from '../model/relation-index.ts';
import { POLICIES_OF_NAMESPACE } from '../model/relations.ts';
import type { ResourceSet } from '../model/resource-set.ts';
import type { Labels, NetworkPolicySpec } from '../model/specs.ts';
import { requirementsOf } from '../model/selector.ts';
import { POLICY_DEFAULT_DROP } from './acl-bands.ts';
import type { Acl, Direction } from './acl.ts';
import { addAcls, defaultDrop } from './acl.ts';
import type { Compilation } from './compilation.ts';
import { documentName } from './document-name.ts';
import type { NamedPortAcls, PolicyRule, ScopedPolicy } from './network-policy-rule.ts';
import { namedPortAcls, ruleAcls } from './network-policy-rule.ts';
import { PeerSets } from './peer-sets.ts';
import type { PolicyScope } from './policy-scope.ts';
import type { PortNode } from './topology.ts';

/**
 * Kubernetes NetworkPolicies in one scope: for each policy that selects ports there, a port group of them with a default
 * drop per isolated direction and, above all default drops, an allow per rule. So policies only ever add up.
 */
export function compileNetworkPolicies(scope: PolicyScope, compilation: Compilation): void {
  const { set } = compilation.topology;
  const policies = scope.namespaces().flatMap((namespace) => set.related(POLICIES_OF_NAMESPACE, namespace));
  const peerSets = new PeerSets(compilation, (namespace) => namespaceLabels(set, namespace));
  for (const policy of inOrder(policies)) {
    const { namespace } = policy;
    invariant(namespace !== undefined, `NetworkPolicy/${policy.name} has a namespace`);
    const members = scope.members(namespace, requirementsOf(policy.spec.podSelector));
    if (members.length === 0) continue;
    const portGroup = scope.portGroupName(namespace, policy.name);
    addPolicy({ policy, namespace, scope, members, portGroup, peerSets }, compilation);
  }
}

function addPolicy(scoped: ScopedPolicy, compilation: Compilation): void {
  const { policy, members, portGroup } = scoped;
  const acls: Acl[] = [];
  const named = new Map<string, NamedPortAcls>();
  for (const direction of isolatedDirections(policy.spec)) {
    acls.push(defaultDrop(direction, portGroup, POLICY_DEFAULT_DROP));
    for (const rule of rulesOf(policy.spec, direction)) {
      acls.push(...ruleAcls(scoped, rule));
      for (const each of namedPortAcls(scoped, rule)) {
        const known = named.get(each.portGroup)?.acls ?? [];
        named.set(each.portGroup, { ...each, acls: [...known, ...each.acls] });
      }
    }
  }
  addPortGroup(scoped, [], portGroup, members, acls, compilation);
  for (const each of named.values()) {
    const path = [each.protocol, each.port, `${each.number}`];
    addPortGroup(scoped, path, each.portGroup, each.members, each.acls, compilation);
  }
}

/** A port group and its ACLs: of the policy's ports, or of those on which a named port has one number. */
function addPortGroup(
  { policy, namespace, scope }: ScopedPolicy,
  subset: readonly string[],
  name: string,
  members: readonly PortNode[],
  acls: readonly Acl[],
  { rows }: Compilation,
): void {
  const path = ['NetworkPolicy', ...scope.path, namespace, policy.name, ...subset];
  const key: RowKey = rowKey('Port_Group', ...path);
  rows.add({
    table: 'Port_Group',
    key,
    unit: scope.unit,
    columns: {
      name,
      ports: members.map((port): Ref => ({ ref: port.key })).toSorted((a, b) => compareText(a.ref, b.ref)),
      external_ids: documentName(`${namespace}/${policy.name}`),
    },
    from: policy,
  });
  addAcls({ path, parent: key, unit: scope.unit, from: policy }, acls, rows);
}

function rulesOf(spec: NetworkPolicySpec, direction: Direction): readonly PolicyRule[] {
  if (direction === 'ingress') {
    return (spec.ingress ?? []).map(({ from, ports }) => ({
      direction,
      peers: from ?? [],
      ports: ports ?? [],
    }));
  }
  return (spec.egress ?? []).map(({ to, ports }) => ({ direction, peers: to ?? [], ports: ports ?? [] }));
}

/** A namespace's labels, with the one that Kubernetes gives to every namespace. */
function namespaceLabels(set: ResourceSet, namespace: string): Labels {
  const labels = set.get('Namespace', namespace)?.labels ?? {};
  return { 'kubernetes.io/metadata.name': namespace, ...labels };
}
