import { compareText } from '../lib/order.ts';
import type { Ref, RowKey } from '../model/nb.ts';
import { rowKey } from '../model/nb.ts';
import type { ResourceSet } from '../model/resource-set.ts';
import type { LoadBalancerSpec, Protocol } from '../model/specs.ts';
import { append } from './topology.ts';

/** The balancers of a VPC. */
export interface VpcLoadBalancers {
  /** Those that its router has: balancers and port forwards. */
  readonly router: readonly Ref[];
  /** Those that its switches have too, so that ports reach them without a detour: balancers only. */
  readonly switches: readonly Ref[];
}

/** Which balancers each VPC has. */
export function loadBalancersByVpc(set: ResourceSet): ReadonlyMap<string, VpcLoadBalancers> {
  const router = new Map<string, Ref[]>();
  const switches = new Map<string, Ref[]>();
  for (const { name, spec } of set.all('LoadBalancer')) {
    for (const protocol of protocolsOf(spec)) {
      const ref = { ref: loadBalancerKey(name, protocol) };
      append(router, spec.vpc, ref);
      append(switches, spec.vpc, ref);
    }
  }
  for (const { name, spec } of set.all('Nat')) {
    if (spec.type === 'port_forward') append(router, spec.vpc, { ref: portForwardKey(name) });
  }
  return new Map(
    [...router].map(([vpc, refs]) => [
      vpc,
      { router: sortedRefs(refs), switches: sortedRefs(switches.get(vpc) ?? []) },
    ]),
  );
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
