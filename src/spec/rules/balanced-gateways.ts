import type { Diagnostic } from '../../model/diagnostic.ts';
import { resourceId, type Resource, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose, type Related } from '../diagnose.ts';
import { topologyOf } from '../topology/topology.ts';
import type { Part } from '../parts.ts';

/** OVN 23.03 has no load balancing, so no port forwards either, on a router with several distributed gateway ports. */
export function* balancedGateways(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  for (const vpc of part.all('Vpc')) {
    const gateways = gatewaysOf(set, vpc);
    if (gateways.length < 2) continue;
    for (const resource of balancing(part, vpc.name)) {
      const message = `the VPC ${vpc.name} has ${gateways.length} gateways, and ${resourceId(resource)} works with one only`;
      const hint =
        'Keep one external connection or centralized subnet in the VPC, or move the balancing to another VPC.';
      yield diagnose(resource, { code: 'LBR756', field: 'spec.vpc', message, hint, related: gateways });
    }
  }
}

function balancing(part: Part, vpc: string): readonly Resource[] {
  const forwards = part.all('Nat').filter(({ spec }) => spec.type === 'port_forward' && spec.vpc === vpc);
  return [...forwards, ...part.all('LoadBalancer').filter(({ spec }) => spec.vpc === vpc)];
}

/** Router ports with gateway chassis. */
function gatewaysOf(set: ResourceSet, vpc: ResourceOf<'Vpc'>): readonly Related[] {
  const external = (vpc.spec.external ?? []).map((_, index): Related => {
    return { resource: vpc, field: `spec.external[${index}].gateways`, message: 'a gateway is here' };
  });
  const centralized = topologyOf(set)
    .subnetsOf(vpc.name)
    .filter(({ spec }) => spec.gateway?.mode === 'centralized')
    .map((subnet): Related => ({ resource: subnet, field: 'spec.gateway', message: 'a gateway is here' }));
  return [...external, ...centralized];
}
