import { compareText } from '../lib/order.ts';
import type { Ref, RowKey } from '../model/nb.ts';
import { rowKey } from '../model/nb.ts';
import { BALANCERS_OF_VPC, NATS_OF_VPC } from '../model/relations.ts';
import type { ResourceSet } from '../model/resource-set.ts';
import type { LoadBalancerSpec, Protocol } from '../model/specs.ts';

/** The balancers of a VPC. */
export interface VpcLoadBalancers {
  /** Those that its router has: balancers and port forwards. */
  readonly router: readonly Ref[];
  /** Those that its switches have too, so that ports reach them without a detour: balancers only. */
  readonly switches: readonly Ref[];
}

/** The balancers of a VPC, if it has any. */
export function balancersOf(set: ResourceSet, vpc: string): VpcLoadBalancers | undefined {
  const switches = set
    .related(BALANCERS_OF_VPC, vpc)
    .flatMap(({ name, spec }) =>
      protocolsOf(spec).map((protocol) => ({ ref: loadBalancerKey(name, protocol) })),
    );
  const forwards = set
    .related(NATS_OF_VPC, vpc)
    .filter(({ spec }) => spec.type === 'port_forward')
    .map(({ name }) => ({ ref: portForwardKey(name) }));
  if (switches.length + forwards.length === 0) return undefined;
  return { router: sortedRefs([...switches, ...forwards]), switches: sortedRefs(switches) };
}

/** Identity of the row of a LoadBalancer's listeners of one protocol: protocol is a column of the row (ovn-nb(5)). */
export function loadBalancerKey(name: string, protocol: Protocol): RowKey {
  return rowKey('Load_Balancer', 'LoadBalancer', name, protocol);
}

/** Identity of the row of a port forward: one of its own, so that a change of one touches no other. */
export function portForwardKey(nat: string): RowKey {
  return rowKey('Load_Balancer', 'Nat', nat);
}

/** The protocols that a balancer listens with, in canonical order. */
export function protocolsOf({ listeners }: LoadBalancerSpec): readonly Protocol[] {
  return [...new Set(listeners.map(({ protocol }) => protocol))].toSorted(compareText);
}

function sortedRefs(refs: readonly Ref[]): readonly Ref[] {
  return refs.toSorted((a, b) => compareText(a.ref, b.ref));
}
