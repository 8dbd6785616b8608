import type { Diagnostic } from '../../model/diagnostic.ts';
import { BALANCERS_OF_EIP, NATS_OF_EIP } from '../../model/relations.ts';
import { resourceId, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose, type Finding } from '../diagnose.ts';
import type { Part } from '../parts.ts';

/** What is wrong when a VPC uses an Eip: its router must be on the Eip's subnet to answer for the address. */
export function joinProblem(
  set: ResourceSet,
  vpc: string,
  eip: ResourceOf<'Eip'>,
): Omit<Finding, 'field'> | undefined {
  const resource = set.get('Vpc', vpc);
  const { subnet } = eip.spec;
  if (resource === undefined || set.get('Subnet', subnet) === undefined) return undefined;
  if ((resource.spec.external ?? []).some((external) => external.subnet === subnet)) return undefined;
  return {
    code: 'NAT701',
    message: `the VPC ${vpc} is not joined to ${subnet}, the subnet of the Eip ${eip.name}`,
    hint: `Add ${subnet} to external of the VPC, or use an Eip of a subnet that is there.`,
    related: [
      { resource, field: 'spec.external' },
      { resource: eip, field: 'spec.subnet' },
    ],
  };
}

/** An Eip is used by one VPC: two routers that answer for one address cut each other off. */
export function* eipOwners(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  for (const resource of [...part.all('Nat'), ...part.all('LoadBalancer')]) {
    const { eip, vpc } = resource.spec;
    if (eip === undefined) continue;
    const [owner] = [...set.related(NATS_OF_EIP, eip), ...set.related(BALANCERS_OF_EIP, eip)];
    if (owner === undefined || owner.spec.vpc === vpc) continue;
    const message = `the Eip ${eip} is already used by the VPC ${owner.spec.vpc}, with ${resourceId(owner)}`;
    const related = [{ resource: owner, field: 'spec.eip' }];
    yield diagnose(resource, {
      code: 'NAT706',
      field: 'spec.eip',
      message,
      hint: 'Use another Eip.',
      related,
    });
  }
}
