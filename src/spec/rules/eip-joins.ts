import type { Diagnostic } from '../../model/diagnostic.ts';
import { resourceId, type Resource, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose, type Finding } from '../diagnose.ts';

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
export function* eipOwners(set: ResourceSet): Iterable<Diagnostic> {
  const owners = new Map<string, { readonly vpc: string; readonly resource: Resource }>();
  for (const resource of [...set.all('Nat'), ...set.all('LoadBalancer')]) {
    const { eip, vpc } = resource.spec;
    if (eip === undefined) continue;
    const owner = owners.get(eip);
    if (owner === undefined) {
      owners.set(eip, { vpc, resource });
      continue;
    }
    if (owner.vpc === vpc) continue;
    const message = `the Eip ${eip} is already used by the VPC ${owner.vpc}, with ${resourceId(owner.resource)}`;
    const related = [{ resource: owner.resource, field: 'spec.eip' }];
    yield diagnose(resource, {
      code: 'NAT706',
      field: 'spec.eip',
      message,
      hint: 'Use another Eip.',
      related,
    });
  }
}
